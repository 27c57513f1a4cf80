"""What a cluster is made of: where its programs are, and the folder for everything it writes."""

import json
from pathlib import Path
from typing import NamedTuple

# The range for benchmarks, which no network routes; nothing else is in the cluster's own network
# namespace.
NODE = "198.18.255.1"
PODS = "198.18.0.0/24"
SERVICES = "198.19.0.0/16"
FIRST_SERVICE = "198.19.0.1"
DOMAIN = "cluster.local"
API = f"https://{NODE}:6443"


def cgroup(folder: Path) -> str:
    """The name of a folder's cluster on this machine."""
    return f"chartgen-{folder.name}"


class Parts(NamedTuple):
    """The folders a cluster is made of."""

    folder: Path
    debian: Path
    kubernetes: Path
    dns: Path

    @property
    def etc(self) -> Path:
        """Settings, keys and kubeconfig."""
        return self.folder / "etc"

    @property
    def logs(self) -> Path:
        """The logs of the cluster's processes."""
        return self.folder / "logs"

    @property
    def runtime(self) -> Path:
        """The socket of the container runtime."""
        return self.folder / "containerd.sock"

    @property
    def cgroup(self) -> str:
        """The control group of all pods."""
        return cgroup(self.folder)

    def save(self) -> None:
        text = json.dumps({name: str(path) for name, path in self._asdict().items()}, indent=1)
        (self.folder / "parts.json").write_text(text)

    @classmethod
    def saved(cls, folder: Path) -> "Parts":
        data = json.loads((folder / "parts.json").read_text())
        return cls(**{name: Path(path) for name, path in data.items()})
