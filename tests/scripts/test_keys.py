"""The program that makes ssh keys: keys that OpenSSH takes, and only where there are none."""

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT

FILES = ROOT / "charts/job/files"
# Of RFC 8032, section 7.1: a secret key and its public key.
VECTORS = {
    "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60": (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    ),
    "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb": (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    ),
    "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7": (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"
    ),
}
# Runs the program with an API server that is one Secret.
DRIVER = """
import json, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import api
secret, asked = json.loads(sys.argv[2]), []
def ask(method, path, body=None):
    asked.append([method, path, body])
    return secret
api.ask = ask
import keys
keys.main()
print(json.dumps(asked))
"""


def requests_for(secret: dict[str, Any]) -> list[Any]:
    """What the program asks of the API for a Secret."""
    command = [sys.executable, "-c", DRIVER, str(FILES), json.dumps(secret)]
    names = {"NAMESPACE": "research", "NAME": "demo-ssh"}
    done = subprocess.run(command, env=names, capture_output=True, text=True, check=True)
    asked: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return asked


def public_key(seed: str) -> str:
    program = "import sys; sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True\n"
    program += "import keys; print(keys.public_key(bytes.fromhex(sys.argv[2])).hex())"
    command = [sys.executable, "-c", program, str(FILES), seed]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize(("seed", "public"), VECTORS.items())
def test_public_keys_are_those_of_the_standard(seed: str, public: str) -> None:
    assert public_key(seed) == public


def test_an_empty_secret_gets_a_pair_that_openssh_takes(tmp_path: Path) -> None:
    """And nobody else may have filled it meanwhile: its version is in the change."""
    ask, change = requests_for({"metadata": {"resourceVersion": "7"}})
    path = "/api/v1/namespaces/research/secrets/demo-ssh"
    assert ask == ["GET", path, None]
    assert change[:2] == ["PATCH", path]
    assert change[2]["metadata"] == {"resourceVersion": "7"}
    data = {key: base64.b64decode(text) for key, text in change[2]["data"].items()}
    assert data.keys() == {"ssh-privatekey", "ssh-publickey"}
    file = tmp_path / "key"
    file.write_bytes(data["ssh-privatekey"])
    file.chmod(0o600)
    derived = subprocess.run(["ssh-keygen", "-y", "-f", str(file)], capture_output=True, check=True)
    assert derived.stdout.split()[:2] == data["ssh-publickey"].split()


def test_two_pairs_differ() -> None:
    first, second = (requests_for({"metadata": {"resourceVersion": "7"}})[1][2] for _ in range(2))
    assert first["data"] != second["data"]


def test_keys_that_are_there_are_kept() -> None:
    kept = {"metadata": {"resourceVersion": "7"}, "data": {"ssh-privatekey": "a2V5"}}
    assert [method for method, _, _ in requests_for(kept)] == ["GET"]
