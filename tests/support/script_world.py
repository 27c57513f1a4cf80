"""The environment of the script that `helm test` runs: tools, names, files, peers and an API."""

import json
import shutil
import socket
import ssl
import stat
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from tests.support import programs
from tests.support.charts import Objects, named

JOB = """
name: mnist
framework: tensorflow
image: registry.example.com/mnist:1.4
runtimeId: ab12
roles:
  chief: {command: [train]}
  worker: {replicas: 2, command: [train]}
  ps: {}
  evaluator: {command: [evaluate]}
tensorboard: {logDir: /logs}
"""
NAMES = ("chief-ab12-0", "ps-ab12-0", "worker-ab12-0", "worker-ab12-1")
JOBS = (*NAMES, "evaluator-ab12-0")
TOOLS = (
    *("sh", "awk", "cat", "date", "grep", "head", "printf", "sleep", "sort", "timeout", "true"),
    "uniq",
)


def pod(objects: Objects) -> dict[str, Any]:
    (only,) = named(objects, "Pod")
    return only


def setting(objects: Objects, name: str) -> str:
    """One of the test's environment variables."""
    entries = pod(objects)["spec"]["containers"][0]["env"]
    return str(next(entry["value"] for entry in entries if entry["name"] == name))


class Kit(NamedTuple):
    """The tools of an image."""

    name: str
    programs: Mapping[str, str]  # by name, where they are


def python_kit() -> Kit:
    """A glibc image with Python, and neither nslookup nor nc."""
    return Kit(
        "python",
        {"python3": sys.executable, **{tool: shutil.which(tool) or tool for tool in TOOLS}},
    )


def busybox_kit() -> Kit:
    """busybox, which has nothing that could ask the API, and a curl."""
    busybox = programs.shell("busybox")
    return Kit("busybox", {**dict.fromkeys(TOOLS, busybox), "curl": programs.shell("curl")})


# Names are looked up in a file: by nslookup, with the output and the exit code of busybox's, by nc
# and by Python.
_FIND = """\
#!/bin/sh
find() {
  ip=
  while read -r name address; do [ "$name" != "$1" ] || ip=$address; done < "$ADDRESSES"
}
"""
_LOOKUP = """\
find "$1"
[ -z "$ip" ] || printf 'Name:\\t%s.default.svc.cluster.local\\nAddress: %s\\n' "$1" "$ip"
echo "** server can't find $1.svc.cluster.local: NXDOMAIN"
exit 1
"""
_NC = """\
args=
while [ $# -gt 0 ]; do
  find "$1" && args="$args ${ip:-$1}" && shift
done
exec BUSYBOX nc $args
"""
_SITE = """\
import os, socket
_real = socket.getaddrinfo
def _listed(host, *args, **kwargs):
    known = dict(line.split() for line in open(os.environ["ADDRESSES"]))
    if host in known or "-" not in host:
        return _real(known.get(host, host), *args, **kwargs)
    raise socket.gaierror(socket.EAI_NONAME, "no such name")
socket.getaddrinfo = _listed
"""


class World:
    """Everything that the script can see."""

    def __init__(self, folder: Path, objects: Objects, api: "Api", kit: Kit) -> None:
        self.folder, self.objects, self.api, self.kit = folder, objects, api, kit
        self.addresses = {
            name: f"127.0.9.{number}" for number, name in enumerate((*NAMES, "tensorboard-ab12"), 1)
        }
        self.wait, self.prologue = 1, ""
        for config_map in named(objects, "ConfigMap"):
            for key, text in config_map["data"].items():
                self.write(f"config/{config_map['metadata']['name']}/{key}", text)
        self.write("secrets/token", "secret")
        shutil.copy(api.certificate, folder / "secrets/ca.crt")
        self.write("site/sitecustomize.py", _SITE)
        # An image has no packages of this machine, and starts without them.
        home = Path(sys.base_prefix) / "bin"
        self.write("pyvenv.cfg", f"home = {home}\ninclude-system-site-packages = false\n")
        (folder / "bin").mkdir()
        for name, path in kit.programs.items():
            (folder / "bin" / name).symlink_to(path)
        # Long enough that nothing is asked all the time, and short enough for a test.
        pause = f"{shutil.which('sleep')} 0.6"
        (folder / "bin/sleep").unlink()
        self.program("sleep", f"#!/bin/sh\nexec {pause}\n")
        if kit.name == "busybox":
            busybox = programs.shell("busybox")
            self.program("nslookup", _FIND + _LOOKUP)
            self.program("nc", _FIND + _NC.replace("BUSYBOX", busybox))
            # Its shell would prefer its own applets to what is on PATH.
            stand_ins = ("nslookup", "nc")
            self.prologue = "".join(
                f'{tool}() {{ {folder}/bin/{tool} "$@"; }}\n' for tool in stand_ins
            )
            self.prologue += f'timeout() {{ shift; "$@"; }}\nsleep() {{ {pause}; }}\n'

    def write(self, path: str, text: str) -> Path:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
        return place

    def program(self, name: str, text: str) -> None:
        self.write(f"bin/{name}", text).chmod(stat.S_IRWXU)

    def forget(self, *names: str) -> None:
        """Stop names from resolving."""
        for name in names:
            del self.addresses[name]

    def run(self, **changes: str) -> tuple[int, str]:
        """Run the script as the pod would; its exit code and its output."""
        self.write("addresses", "".join(f"{name} {ip}\n" for name, ip in self.addresses.items()))
        container = pod(self.objects)["spec"]["containers"][0]
        env = {entry["name"]: entry.get("value", "default") for entry in container["env"]}
        secrets = str(self.folder / "secrets") if env["API"] else ""
        env |= {"FILES": str(self.folder / "config"), "API": secrets, "WAIT": str(self.wait)}
        env |= {
            "KUBERNETES_SERVICE_HOST": "127.0.0.1",
            "KUBERNETES_SERVICE_PORT": str(self.api.port),
        }
        env |= {"PATH": str(self.folder / "bin"), "PYTHONPATH": str(self.folder / "site")}
        env |= {"ADDRESSES": str(self.folder / "addresses"), **changes}
        (script,) = container["args"]
        shell = [self.folder / "bin/sh", *container["command"][1:], self.prologue + script]
        done = subprocess.run(
            shell,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
            check=False,
        )
        return done.returncode, done.stdout.decode()


class Api:
    """A cluster's API with a list of Jobs, and one of pods that do not run, with the reason."""

    def __init__(self, folder: Path) -> None:
        self.certificate = folder / "ca.crt"
        self.states: dict[str, str] = {}
        self.waiting: list[tuple[str, str]] = []
        self.warned: list[tuple[str, str, str]] = []
        self.columns, self.code, self.asked = 2, 200, ""
        key = folder / "key.pem"
        names = ["-subj", "/CN=api", "-addext", "subjectAltName=IP:127.0.0.1"]
        made = [
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-keyout",
            str(key),
            "-out",
            str(self.certificate),
        ]
        subprocess.run(["openssl", "req", *made, *names], check=True, capture_output=True)
        api = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                api.asked += f"{self.path}\n{self.headers}"
                tables = {"pods": api.pods, "events": api.events, "jobs": api.table}
                table = tables[self.path.partition("?")[0].rpartition("/")[2]]()
                body = json.dumps(table, separators=(",", ":")).encode()
                self.send_response(api.code)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def table(self) -> dict[str, Any]:
        """As the API server prints Jobs; before 1.31 without the second column."""
        rows = []
        for name, state in self.states.items():
            done = "1/1" if state == "Complete" else "0/1"
            cells = [
                name,
                *([state] if self.columns == 2 else []),
                done,
                "3s",
                "5m",
                "tensorflow",
                "mnist:1",
                "a=b",
            ]
            rows.append({"cells": cells, "object": None})
        return {
            "kind": "Table",
            "columnDefinitions": [{"name": "Name"}, {"name": "Completions"}],
            "rows": rows,
        }

    def pods(self) -> dict[str, Any]:
        """As the API server prints pods; without any it has no rows to print."""
        rest = ["0", "5m", "<none>", "<none>", "<none>", "<none>"]
        rows = [
            {"cells": [f"{name}-x7k2p", "0/1", why, *rest], "object": None}
            for name, why in self.waiting
        ]
        return {"kind": "Table", "columnDefinitions": [{"name": "Name"}], "rows": rows or None}

    def events(self) -> dict[str, Any]:
        """As the API server prints events."""
        rows = []
        for about, reason, message in self.warned:
            cells = ["5s", "Warning", reason, about, "", "kubelet", message, "9s", 3, "x.17"]
            rows.append({"cells": cells, "object": None})
        return {"kind": "Table", "columnDefinitions": [{"name": "Last Seen"}], "rows": rows or None}

    def reset(self) -> None:
        self.states, self.waiting = dict.fromkeys(JOBS, "Running"), []
        self.warned = []
        self.columns, self.code, self.asked = 2, 200, ""


class Peer:
    """A replica, or TensorBoard, that listens."""

    def __init__(self, host: str, port: int, answer: bytes = b"") -> None:
        self.answer, self.socket = answer, socket.create_server((host, port))
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                caller, _ = self.socket.accept()
            except OSError:
                return
            with caller:
                if self.answer:
                    caller.recv(1000)
                    caller.sendall(self.answer)

    def close(self) -> None:
        with suppress(OSError):  # closed already
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
