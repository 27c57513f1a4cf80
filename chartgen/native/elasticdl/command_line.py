"""A command line of ElasticDL's client -> its command and flags, by their names in its dialect."""

import re
from collections.abc import Iterator

from chartgen import schema
from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.native.elasticdl import flags
from chartgen.native.elasticdl.assignments import Pair, pairs, variables
from chartgen.native.elasticdl.dialects import (
    AMOUNTS,
    FIRST,
    NAMES_OLDER,
    NEWER,
    OLDER,
    RENAMED_EARLIER,
    RENAMED_LATER,
    recognize,
)
from chartgen.native.elasticdl.flags import Flag
from chartgen.native.elasticdl.line import MODEL_ZOO, Line, version_of
from chartgen.native.elasticdl.other_versions import read_earlier_ways, read_later_ways
from chartgen.native.schemas import native_schema
from chartgen.schema.walk import types
from chartgen.startup.typing import Any
from chartgen.words import in_shell

COMMANDS = ("train", "evaluate", "predict")
MODULE = "elasticdl.python.elasticdl.client"
# What else started the client, as the last word of a path or of a module.
_CLIENTS = re.compile(
    r"(?:.*/)?(?:elasticdl|elasticdl\.python\.elasticdl\.client|elasticdl\.python\.client\.client)"
    r"|(?:.*/)?elasticdl/client/client\.py|(?:.*/)?elasticdl/python/client/client\.py"
)
# Flags that cannot be abbreviated, because the client of July 2019 did not have them: some are its
# master's, some came later.
BEYOND = ("image_name", "worker_pod_priority", "log_level", "envs")
# Flags for the client itself.
FOR_CLIENT = (
    "docker_base_url",
    "docker_tlscert",
    "docker_tlskey",
    "force_use_kube_config_file",
    "push_image",
    "yaml",
)
_SWITCHES = ("push_image",)  # may be given without a value
# Earlier flags that say the same in another way, or that nothing reads any longer.
_EARLIER = ("minibatches_per_task", "volume_name", "mount_path", "claim_name", "codec_type")
_EXACT = (*BEYOND, *FOR_CLIENT, MODEL_ZOO, *_EARLIER, *RENAMED_EARLIER, *AMOUNTS)
# In 0.1.0rc0; num_workers has one, with which nothing is ever done: 0.
# Fields of the description that become flags, besides those in elasticdl.params.
_GIVEN: dict[Path, str] = {
    ("name",): "job_name",
    ("roles", "worker", "replicas"): "num_workers",
}
_REQUIRED_OLDER = ("minibatch_size", "num_minibatches_per_task", "num_workers")
_TRUE = {"true": True, "t": True, "yes": True, "y": True, "1": True}
_FALSE = dict.fromkeys(("false", "f", "no", "n", "0"), False)


def read(source: Document) -> Line:
    """What a command line says; its command is "" if the line cannot be a job."""
    line = Line(source)
    _find_command(line)
    if not line.command:
        return line
    line.dialect = str(source.setting("elasticdl", "dialect") or "")
    if line.dialect not in (FIRST, OLDER, NEWER):
        line.dialect = recognize(source.data["words"][line.start :])
    for item in flags.read(source, line.start, _known_flags(line)):
        if isinstance(item, Flag):
            _take(line, item)
        else:
            line.problems.append(item)
    for name, flag in [*line.given.items()]:
        _convert(line, name, flag)
    _complete(line)
    if line.dialect == FIRST:
        read_earlier_ways(line)
    else:
        read_later_ways(line)
    return line


def _complete(line: Line) -> None:
    """Use what --set gives for flags that the line lacks."""
    names = _flag_names(line.place)
    for path, value, _ in line.source.settings:
        name = _GIVEN.get(path, "")
        if path[:-1] == ("elasticdl", "params"):
            name = str(path[-1])
        if line.dialect != FIRST:
            name = RENAMED_LATER.get(name, name)
        if name in names and name not in line.data:
            line.data[name] = value


def _known_flags(line: Line) -> flags.Known:
    names, exact = _flag_names(line.place), _EXACT
    if line.dialect == FIRST:
        names = [name for name in names if name not in BEYOND]
    else:
        exact = (*FOR_CLIENT, *RENAMED_LATER, "records_per_task", "model_class")
    elsewhere = {}
    for other in COMMANDS:
        place = line.place.replace(line.command, other)
        for name in _flag_names(place):
            if name not in names and name not in exact:
                ignored = f"is a flag of {other}; the client ignored it with {line.command}"
                elsewhere[name] = f"--{name} {ignored}"
    return flags.Known(names, exact, elsewhere, _SWITCHES)


def _flag_names(command: str) -> list[str]:
    """The flags of a command that the schema has."""
    return [*(schema.at(native_schema("elasticdl"), (command,)) or {})["properties"]]


def _find_command(line: Line) -> None:
    """Find the client's command and where its flags start."""
    words = line.source.data["words"]
    programs = [_CLIENTS.fullmatch(word) is not None for word in words]
    if not any(programs):
        expected = f"expected `elasticdl train` or `python -m {MODULE} train`"
        line.problem(
            (), f"this is not a command of ElasticDL's client; {expected}", "file-unknown-format"
        )
        return
    client = programs.index(True)
    command = words[client + 1] if client + 1 < len(words) else ""
    at: Path = ("words", client + bool(command))
    if command in COMMANDS:
        line.command, line.start = command, client + 2
    else:
        name = command or "nothing"
        message = f"{name!r} is not a command that makes a job; expected train, evaluate or predict"
        line.problem(at, message, "elasticdl-command")


def _take(line: Line, flag: Flag) -> None:
    """Keep a flag by the name it has in the dialect of the line."""
    renamed = RENAMED_EARLIER if line.dialect == FIRST else RENAMED_LATER
    name = renamed.get(flag.name, flag.name)
    if name in line.given:
        message = f"--{flag.name} is given twice; the last one counts"
        line.warning(flag.key, message, "elasticdl-flag-duplicate")
    line.given[name] = flag
    called = NAMES_OLDER.get(name, name) if line.dialect == OLDER else name
    if called != flag.name:
        message = f"--{flag.name} is called --{called} in {version_of(line)}; read as such"
        line.warning(flag.key, message, "elasticdl-flag-renamed", f"write --{called}")


def _convert(line: Line, name: str, flag: Flag) -> None:
    """Convert a flag's value to the schema's type; the schema refuses text that cannot be."""
    place = schema.at(native_schema("elasticdl"), (line.place, name))
    if place is None or (flag.value == "" and place.get("default", "") == ""):
        return  # one for the client itself, or without a value
    kind = types(place)[0]
    value: Any = flag.value
    if kind == "integer" and re.fullmatch(r"\s*[+-]?[0-9]{1,18}\s*", value):
        value = int(value)
    elif kind == "boolean":
        value = {**_TRUE, **_FALSE}.get(value.lower(), value)
    elif name == "log_level":
        value = value.upper()
    elif kind == "object":
        if name == "envs":
            assigned, problems = variables(line.source, flag)
        else:
            assigned, problems = pairs(line.source, flag, flag.value)
        line.problems += problems
        value = _put_pairs(line, (line.place, name), assigned)
    elif kind == "array":
        value = _read_volumes(line, name, flag)
    line.put(name, value, flag)


def _read_volumes(line: Line, name: str, flag: Flag) -> list[dict[str, str]]:
    """Volumes, separated by ';'."""
    volumes: list[dict[str, str]] = []
    start = 0
    for text in flag.value.split(";"):
        if text.strip() or not volumes:
            path: Path = (line.place, name, len(volumes))
            line.keys[path] = line.values[path] = flag.character(start)
            assigned, problems = pairs(line.source, flag, text, start)
            line.problems += problems
            volumes.append(_put_pairs(line, path, assigned))
        start += len(text) + 1
    return volumes


def _put_pairs(line: Line, path: Path, assigned: list[Pair]) -> dict[str, str]:
    values: dict[str, str] = {}
    for pair in assigned:
        line.keys[*path, pair.name] = pair.key
        line.values[*path, pair.name] = pair.at
        values[pair.name] = pair.value
    return values


def check(line: Line) -> Iterator[Problem]:
    """What the client's schema refuses, and what no schema can say about a line."""
    for problem in schema.check(line.document(), native_schema("elasticdl")):
        yield _in_terms_of_flags(problem)
    source, given = line.source, line.given
    if line.dialect == OLDER:
        for name in _REQUIRED_OLDER:
            if name not in line.data:
                message = f"{line.command} lacks --{name}, which needs a value in 0.1.0rc0"
                yield source.missing(("words", line.start - 1), message, "key-missing")
    if "image_name" not in line.data and not source.gives("image"):
        yield _no_image(line)
    model = given.get("model_def")
    if model and model.value.endswith("/"):
        message = (
            "the client took the model's name from after the last '/', and found nothing there; "
            "read without that '/'"
        )
        yield source.warning(model.at, message, "elasticdl-model-name", "remove the '/' at the end")
    if line.dialect == FIRST and model and model.value.endswith(".py"):
        message = f"a model is a directory, which is read as {line.model_directory()}"
        hint = "put the model into a directory of the same name"
        yield source.warning(model.at, message, "elasticdl-model-name", hint)
    share = given.get("worker_pod_priority")
    if line.dialect == FIRST and share and re.fullmatch(r"[01]?\.[0-9]+", share.value):
        message = (
            "ElasticDL of July 2019 cannot give some of the workers a high priority; "
            "expected a PriorityClass"
        )
        hint = "with expansion: static, overrides give a worker its own priorityClassName"
        yield source.problem(share.at, message, "elasticdl-later", hint)
    flag = given.get("cluster_spec")
    if flag and flag.value:
        message = "--cluster_spec is a program that changes pods; it is not run, and is left out"
        hint = "write what it does into the description: nodeSelector, tolerations, labels, ..."
        yield source.warning(flag.key, message, "elasticdl-cluster-spec", hint)


def _in_terms_of_flags(problem: Problem) -> Problem:
    """A problem of the schema in terms of a command line: --num_workers=2, not num_workers: 2."""
    message = problem.message
    for pattern, replacement in (
        (r"^(?:train|evaluate|predict)(?:-later)?\.(\w+)", r"--\1"),
        (
            r"^missing '(\w+)' in (?:train|evaluate|predict)(?:-later)?\.(\w+)[^\s:]*",
            r"--\2 lacks \1",
        ),
        (r"^missing '(\w+)' in (train|evaluate|predict)(?:-later)?\b", r"\2 lacks --\1"),
        (
            r"^unknown key (.*?) in (?:train|evaluate|predict)(?:-later)?\.(\w+)\S*?(?=;|$)",
            r"--\2: \1 is unknown",
        ),
    ):
        message = re.sub(pattern, replacement, message)
    # A hint names a flag, or a part of a flag's value.
    dashes = "" if message.startswith("--") else "--"
    hint = re.sub(r"^for example (\w+): ", rf"for example {dashes}\1=", problem.hint)
    return problem._replace(message=message, hint=hint)


def pushed_image(line: Line) -> str:
    """The image that the client would have pushed, without its random tag; "" without a prefix."""
    prefix = str(line.data.get("docker_image_prefix") or "").rstrip("/")
    return f"{prefix}/elasticdl:{line.data.get('job_name') or 'job'}" if prefix else ""


def _no_image(line: Line) -> Problem:
    """The client built an image for every job, and gave it a random name."""
    image = pushed_image(line)
    if image:
        message = f"the client built an image and pushed it; chartgen does not: {image} must exist"
        flag = line.given["docker_image_prefix"]
        hint = f"build it {_build(image, line)}"
        return line.source.warning(flag.key, message, "elasticdl-image-built", hint)
    base = "; --image_base is what it was built from" if "image_base" in line.data else ""
    message = (
        f"no image is given: the client built one, and chartgen does not{base}; "
        "expected --image_name, --docker_image_prefix, or chartgen's own --image"
    )
    image = f"registry.example.com/elasticdl:{line.data.get('job_name') or 'mnist'}"
    hint = f"build one {_build(image, line)}; then add --image {in_shell(image)}"
    return line.source.problem(("words", line.start - 1), message, "image-missing", hint)


def _build(image: str, line: Line) -> str:
    word = in_shell(image)
    return (
        "with ElasticDL, what the model needs, and the model at "
        f"{line.model_directory()} (`chartgen explain elasticdl` has a Dockerfile): "
        f"docker build -t {word} . && docker push {word}"
    )
