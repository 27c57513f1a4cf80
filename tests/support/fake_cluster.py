"""A stand-in for a cluster: an API server that keeps objects and runs nothing, and a helm for it.

It shows what `chartgen test --cluster` requests and does, and in which order; tests/e2e shows that
a real cluster answers the same. The real Helm does everything that needs no cluster (lint,
template, package).
"""

import json
import shlex
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml

from tests.support import charts, resident
from tests.support.http_server import serving

Object = dict[str, Any]

NAMESPACE = "research"
KINDS = {
    "v1": {
        "Pod": "pods",
        "Service": "services",
        "ConfigMap": "configmaps",
        "ServiceAccount": "serviceaccounts",
        "Event": "events",
        "Secret": "secrets",
    },
    "batch/v1": {"Job": "jobs"},
    "apps/v1": {"Deployment": "deployments"},
    "rbac.authorization.k8s.io/v1": {"Role": "roles", "RoleBinding": "rolebindings"},
}
PLURALS = {plural: kind for kinds in KINDS.values() for kind, plural in kinds.items()}

# What needs no cluster is done by the real Helm, at once; what needs one is told to the stand-in.
HELM = """\
#!/bin/sh
case $1 in
version | lint | template | package) exec {helm} "$@" ;;
*) exec {python} -I -S {told} "$@" ;;
esac
"""
# It imports as little as it can, because it starts several times in each test.
TOLD = """\
import json, socket, sys
verb, *words = sys.argv[1:]
told = json.dumps({{"verb": verb, "words": words}})
with socket.create_connection({address!r}) as server:
    head = f"POST /helm HTTP/1.0\\r\\nContent-Length: {{len(told)}}\\r\\n\\r\\n"
    server.sendall((head + told).encode())
    answer = json.loads(server.makefile().read().partition("\\n\\n")[2])
sys.stdout.write(answer.get("out", ""))
sys.stderr.write(answer.get("err", ""))
sys.exit(answer.get("code", 0))
"""


class StandIn:
    """The cluster: what is in it, what Helm did to it, and how it behaves."""

    def __init__(self, url: str, folder: Path, helm: str) -> None:
        self.url, self.real_helm = url, helm
        self.objects: dict[tuple[str, str], Object] = {}
        self.hooks: list[Object] = []
        self.manifest: list[Object] = []
        self.done: list[str] = []  # Helm's verbs
        self.began = {verb: threading.Event() for verb in ("install", "test", "uninstall")}
        # By verb, what Helm says instead; an Event is waited for first.
        self.answers: dict[str, Any] = {}
        self.status: Object = {"active": 1, "ready": 1}  # of every Job
        self.pod_status: Object = {
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": "True"}],
        }
        self.logs = "all is well\n"
        self.heard = threading.Event()  # set when somebody reads a log
        self.tidy = False  # whether the pods of tests are removed as soon as they pass
        self.stays = ""  # a kind of object that is not removed
        self.after: Callable[[], None] | None = None  # called after the install
        self.words: dict[str, list[str]] = {}  # Helm's arguments, by verb
        self.helm = folder / "helm"
        told = folder / "told.py"
        server = urlsplit(url)
        told.write_text(TOLD.format(address=(server.hostname, server.port)))
        words = {"python": sys.executable, "told": told, "helm": helm}
        quoted = {name: shlex.quote(str(word)) for name, word in words.items()}
        self.helm.write_text(HELM.format(**quoted))
        self.helm.chmod(0o755)
        self.kubeconfig = folder / "kubeconfig"
        self.kubeconfig.write_text(json.dumps(_kubeconfig(url)))

    def add(self, item: Object) -> None:
        """Add an object, with what a server adds to it."""
        own = {"uid": f"uid-{len(self.objects)}", "namespace": NAMESPACE, "generation": 1}
        self.objects[item["kind"], item["metadata"]["name"]] = {
            **item,
            "metadata": {**item["metadata"], **own},
        }

    def names(self) -> set[str]:
        """The names of all objects."""
        return {f"{kind}/{name}" for kind, name in self.objects}

    def run_helm(self, verb: str, words: list[str]) -> Object:
        """What Helm does in the directory of the test, where chartgen runs."""
        printed = ""
        if verb == "install":
            for_cluster = ("--description", "--timeout", "--kube", "--labels")
            keep = [word for word in words if not word.startswith(for_cluster)]
            asked = ("template", *keep)
            done = resident.run(self.real_helm, asked) or charts.run_again(self.real_helm, *asked)
            done.check_returncode()
            printed = done.stdout
        return self.run(verb, words, printed)

    def run(self, verb: str, words: list[str], printed: str) -> Object:
        """What Helm does with what it would install."""
        self.done.append(verb)
        self.words[verb] = words
        if verb in self.began:
            self.began[verb].set()
        answer = self.answers.get(verb)
        if isinstance(answer, threading.Event):
            answer.wait(20)
        did: Object = getattr(self, f"_{verb}")(words, printed)
        return answer if isinstance(answer, dict) else did

    def _install(self, words: list[str], printed: str) -> Object:
        self._record(words[0], words)
        for item in yaml.safe_load_all(printed):
            hook = "helm.sh/hook" in item["metadata"].get("annotations", {})
            (self.hooks if hook else self.manifest).append(item)
        for item in self.manifest:
            self.add({**item, "status": self._status(item)})
            if item["kind"] == "Job":
                self._run(item["metadata"]["name"], item)
        if self.after:
            self.after()
        return {"out": "STATUS: deployed\n"}

    def _record(self, release: str, words: list[str]) -> None:
        """Helm's record of a release, with the labels that it was given."""
        labels = {"owner": "helm", "name": release, "version": "1", "status": "deployed"}
        for word in words:
            if word.startswith("--labels="):
                pairs = word.removeprefix("--labels=").split(",")
                labels |= dict(pair.split("=") for pair in pairs)
        name = f"sh.helm.release.v1.{release}.v1"
        self.add(
            {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "labels": labels}}
        )

    def records(self) -> dict[str, dict[str, str]]:
        """The labels of Helm's records, by release."""
        records = [
            item["metadata"]["labels"] for key, item in self.objects.items() if key[0] == "Secret"
        ]
        return {labels["name"]: labels for labels in records}

    def _status(self, item: Object) -> Object:
        served = {"observedGeneration": 1, "readyReplicas": 1}
        return {"Job": self.status, "Deployment": served}.get(item["kind"], {})

    def _run(self, name: str, job: Object) -> None:
        """Create a pod of a Job, as its controller does."""
        own = self.objects["Job", name]
        own["spec"] = {**own["spec"], "selector": {"matchLabels": {"job-name": name}}}
        meta = {"name": f"{name}-x7k2p", "labels": {"job-name": name}}
        spec = job["spec"]["template"]["spec"]
        self.add(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": meta,
                "spec": spec,
                "status": self.pod_status,
            }
        )

    def _get(self, words: list[str], _printed: str) -> Object:
        return {"out": yaml.safe_dump_all(self.manifest if words[0] == "manifest" else self.hooks)}

    def _test(self, _words: list[str], _printed: str) -> Object:
        for hook in self.hooks:
            self.add({**hook, "status": {"phase": "Succeeded"}})
        if self.tidy:
            self.heard.wait(20)
            for hook in self.hooks:
                del self.objects[hook["kind"], hook["metadata"]["name"]]
        return {"out": "TEST SUITE:     test\nPhase:          Succeeded\n"}

    def _uninstall(self, words: list[str], _printed: str) -> Object:
        """Hooks stay, as with Helm, and what knows them: its record, if the history is kept."""
        kept = {(hook["kind"], hook["metadata"]["name"]) for hook in self.hooks}
        stay = ["Event", self.stays]
        if "--keep-history" in words:
            stay.append("Secret")
            self.records().get(words[0], {})["status"] = "uninstalled"
        self.objects = {
            key: item for key, item in self.objects.items() if key in kept or key[0] in stay
        }
        return {"out": "uninstalled\n"}

    def answer(self, method: str, path: str, selector: str = "") -> tuple[int, Any]:
        """What the API server answers."""
        code, answer = self._answer(method, path)
        if selector:
            wanted = [pair.partition("=")[::2] for pair in selector.split(",")]
            answer["items"] = [item for item in answer["items"] if _selected(item, wanted)]
        return code, answer

    def _answer(self, method: str, path: str) -> tuple[int, Any]:
        parts = path.strip("/").split("/")
        if parts == ["version"]:
            return 200, {"major": "1", "minor": "33", "gitVersion": "v1.33.1"}
        if parts == ["api"]:
            return 200, {"kind": "APIVersions", "versions": ["v1"]}
        if parts == ["apis"]:
            return 200, {
                "kind": "APIGroupList",
                "groups": [_group(version) for version in KINDS if version != "v1"],
            }
        version = parts[1] if parts[0] == "api" else "/".join(parts[1:3])
        rest = parts[2:] if parts[0] == "api" else parts[3:]
        if version not in KINDS:
            return 404, {}
        return self._objects(method, version, rest)

    def _objects(self, method: str, version: str, rest: list[str]) -> tuple[int, Any]:
        if not rest:
            return 200, _resources(version)
        _, namespace, plural, *name = rest
        assert namespace == NAMESPACE
        kind = PLURALS[plural]
        if name[1:] == ["log"] and (kind, name[0]) in self.objects:
            self.heard.set()
            return 200, self.logs
        if not name:
            items = [item for key, item in self.objects.items() if key[0] == kind]
            return 200, {"kind": f"{kind}List", "apiVersion": version, "items": items}
        item = self.objects.get((kind, name[0]))
        if item and method == "DELETE":
            del self.objects[kind, name[0]]
        return (200, item) if item else (404, {"kind": "Status", "code": 404, "reason": "NotFound"})


def _selected(item: Object, wanted: list[tuple[str, str]]) -> bool:
    labels = item["metadata"].get("labels") or {}
    return all(name in labels and value in ("", labels[name]) for name, value in wanted)


def _kubeconfig(url: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "stand-in", "cluster": {"server": url}}],
        "users": [{"name": "nobody", "user": {}}],
        "contexts": [
            {
                "name": "own",
                "context": {"cluster": "stand-in", "user": "nobody", "namespace": NAMESPACE},
            },
            {"name": "gone", "context": {"cluster": "nowhere", "user": "nobody"}},
        ],
        "current-context": "own",
    }


def _group(version: str) -> Object:
    entry = {"groupVersion": version, "version": version.rpartition("/")[2]}
    return {"name": version.partition("/")[0], "versions": [entry], "preferredVersion": entry}


def _resources(version: str) -> Object:
    rows = [
        {
            "name": plural,
            "singularName": "",
            "kind": kind,
            "namespaced": True,
            "verbs": ["get", "list", "delete"],
        }
        for kind, plural in KINDS[version].items()
    ]
    return {"kind": "APIResourceList", "groupVersion": version, "resources": rows}


@contextmanager
def started(folder: Path, helm: str) -> Iterator[StandIn]:
    """A stand-in that answers until the end of the `with`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            selector = parse_qs(url.query).get("labelSelector", [""])[0]
            self._send(*there.answer(self.command, url.path, selector))

        def do_DELETE(self) -> None:
            self.do_GET()

        def do_POST(self) -> None:
            told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._send(200, there.run_helm(told["verb"], told["words"]))

        def _send(self, code: int, answer: Any) -> None:
            plain = isinstance(answer, str)
            body = answer.encode() if plain else json.dumps(answer).encode()
            self.send_response(code)
            self.send_header("Content-Type", "text/plain" if plain else "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with serving(Handler) as url:
        there = StandIn(url, folder, helm)
        yield there
