"""Flags of clients of other versions, read as those of the version that the line is for."""

import re

from chartgen.native.elasticdl.dialects import (
    AMOUNTS,
    NEWER,
)
from chartgen.native.elasticdl.flags import Flag
from chartgen.native.elasticdl.line import MODEL_ZOO, ZOO_ROOT, Line, version_of


def read_later_ways(line: Line) -> None:
    """Paths of the image, and tasks that are counted in records."""
    if zoo := line.given.get(MODEL_ZOO):
        line.put(MODEL_ZOO, _zoo_in_image(line, zoo.value), zoo)
    if flag := line.given.get("records_per_task"):
        _read_tasks(line, flag, "num_minibatches_per_task")
    if flag := line.given.get("model_class"):
        message = f"--model_class is part of --model_def in {version_of(line)}; left out"
        line.warning(flag.key, message, "elasticdl-flag-renamed", "write --model_def=DIR.FILE.NAME")


def _zoo_in_image(line: Line, path: str) -> str:
    """A path in an image that exists, or where the client copied the directory to."""
    steps = [step for step in path.split("/") if step not in ("", ".", "..")]
    if "image_name" in line.given or line.source.gives("image") or line.dialect == NEWER:
        return f"/{'/'.join(steps)}"
    return "/".join([ZOO_ROOT, *steps[-1:]])


def read_earlier_ways(line: Line) -> None:
    """Flags that the clients before that of July 2019 had."""
    if (zoo := line.given.get(MODEL_ZOO)) and "model_def" not in line.given:
        line.given["model_def"] = zoo
        line.put("model_def", zoo.value, zoo)
        read_as(line, zoo, f"--model_def={zoo.value}")
    if flag := line.given.get("minibatches_per_task"):
        _read_tasks(line, flag, "records_per_task")
    if flag := line.given.get("codec_type"):
        message = "no client has read --codec_type since June 2019; left out"
        line.warning(flag.key, message, "elasticdl-flag-renamed", "remove it")
    for name, (target, resource) in AMOUNTS.items():
        if flag := line.given.get(name):
            amounts = {**line.data.get(target, {}), resource: flag.value}
            line.put(target, amounts, flag)
            line.keys[line.place, target, resource] = flag.key
            line.values[line.place, target, resource] = flag.at
            read_as(line, flag, f"--{target}={resource}={flag.value}")
    _read_volume_flags(line)


def _read_volume_flags(line: Line) -> None:
    """A volume in flags of its own; a name without a claim was that of the claim."""
    mount = line.given.get("mount_path")
    claim = line.given.get("claim_name") or line.given.get("volume_name")
    flag = mount or claim
    if not flag or "volume" in line.given:
        return
    volume = {}
    if claim:
        volume["claim_name"] = claim.value
    if mount:
        volume["mount_path"] = mount.value
    line.put("volume", [volume], flag)
    meant = ",".join(f"{key}={value}" for key, value in volume.items())
    read_as(line, flag, f"--volume={meant}")


def _read_tasks(line: Line, flag: Flag, name: str) -> None:
    """The size of a task, in records or in minibatches."""
    size = line.data.get("minibatch_size", 64)
    size = size if isinstance(size, int) and size > 0 else 1
    number = int(flag.value) if re.fullmatch("[0-9]{1,18}", flag.value) else 0
    if name in line.given:
        message = f"--{flag.name} and --{name} say the same; expected one of them"
        line.problem(flag.key, message, "elasticdl-flag-duplicate")
    elif not number:
        message = f"--{flag.name}: expected a whole number above 0, got {flag.value!r}"
        line.problem(flag.at, message, "value-out-of-range")
    else:
        number = number * size if name == "records_per_task" else -(-number // size)
        read_as(line, flag, f"--{name}={number}")
    line.put(name, line.data.get(name) or number or 1, flag)


def read_as(line: Line, flag: Flag, meant: str) -> None:
    message = f"--{flag.name} is not a flag of {version_of(line)}; read as {meant}"
    line.warning(flag.key, message, "elasticdl-flag-renamed", f"write {meant}")
