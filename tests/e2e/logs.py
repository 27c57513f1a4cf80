"""What a failure leaves for a person: everything in build/e2e, the important lines on screen."""

import os
import re
import shutil
from pathlib import Path

from tests.e2e.cluster import ROOT
from tests.e2e.process import Failure, tail
from tests.e2e.progress import say
from tests.e2e.releases import Namespace, Object, ready_pod

KEPT = Path(os.environ.get("CHARTGEN_E2E_LOGS") or ROOT / "build" / "e2e")
LINES = 15  # of a pod's log on the screen


def forget() -> None:
    """Remove what earlier failures left."""
    shutil.rmtree(KEPT, ignore_errors=True)


def keep_services(folder: Path) -> None:
    """Keep the logs of the cluster's own processes."""
    if not (folder / "logs").exists():
        return
    place = KEPT / "cluster"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder / "logs", place)
    for name in ("machine.log", "progress"):
        if (folder / name).exists():
            shutil.copy(folder / name, place / name)
    say(f"The logs of the cluster's processes are in {os.path.relpath(place, ROOT)}")


def keep(test: str, namespace: Namespace, folder: Path = KEPT) -> str:
    """Keep the objects and logs of a namespace, and give the important lines."""
    place = folder / re.sub(r"[^\w.-]+", "-", test).strip("-")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    try:
        (place / "objects.yaml").write_text(
            namespace.kubectl("get", "all,configmaps", "--output=yaml")
        )
        (place / "events.txt").write_text(
            namespace.kubectl("get", "events", "--sort-by=.lastTimestamp")
        )
        lines = _warnings(namespace)
        for pod in namespace.objects("pods"):
            lines += _pod(place, namespace, pod)
    except (Failure, OSError) as failure:
        lines = [str(failure)]
    return "\n".join([*lines, f"All of it is in {os.path.relpath(place, ROOT)}"])


def _warnings(namespace: Namespace) -> list[str]:
    columns = "custom-columns=OBJECT:.involvedObject.name,REASON:.reason,MESSAGE:.message"
    text = namespace.kubectl(
        "get", "events", "--field-selector=type=Warning", f"--output={columns}", "--no-headers"
    )
    return [f"warning: {line}" for line in dict.fromkeys(text.splitlines())][-LINES:]


def _pod(place: Path, namespace: Namespace, pod: Object) -> list[str]:
    """Keep a pod's log, and give its end if the pod is unhealthy."""
    name, phase = pod["metadata"]["name"], pod["status"]["phase"]
    try:
        text = namespace.kubectl("logs", name, "--all-containers", "--prefix")
    except Failure as failure:
        text = str(failure)
    (place / f"{name}.log").write_text(text)
    if phase == "Succeeded" or ready_pod(pod):
        return []
    return [f"--- {name} is {phase}; the end of its log:", *tail(text, LINES).splitlines()]
