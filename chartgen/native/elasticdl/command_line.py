"""A command line of ElasticDL's client -> its command and flags, typed, in the words of July 2019."""

import re
from collections.abc import Iterator
from typing import Any

from chartgen import schema
from chartgen.document import Document, Path
from chartgen.errors import Mark, Problem
from chartgen.native.draft import rules
from chartgen.native.elasticdl import flags
from chartgen.native.elasticdl.assignments import Fault, Pair, pairs, variables
from chartgen.native.elasticdl.flags import Flag
from chartgen.schema.accept import types

COMMANDS = ("train", "evaluate")
MODULE = "elasticdl.python.elasticdl.client"
# Flags that the client of July 2019 did not have, so that nobody could cut them short: later ones and the master's.
BEYOND = ("image_name", "worker_pod_priority", "log_level", "envs")
# What later clients call the same thing.
RENAMED = {
    "dataset_fn": "input_fn",
    "docker_image_repository": "docker_image_prefix",
    "evaluation_data": "evaluation_data_dir",
    "feed": "input_fn",
    "training_data": "training_data_dir",
    "validation_data": "evaluation_data_dir",
}
# What later clients took for themselves.
FOR_CLIENT = ("docker_base_url", "docker_tlscert", "docker_tlskey", "force_use_kube_config_file", "yaml")
# What later clients say in another way.
_ZOO, _MINIBATCHES = "model_zoo", "num_minibatches_per_task"
_KEEPS = "there the master keeps the parameters itself, without servers for them"
# What the ElasticDL of July 2019 has nothing like, and why, where there is more to say.
LATER = {
    **dict.fromkeys(("num_ps_pods", "ps_resource_request", "ps_resource_limit", "ps_pod_priority"), _KEEPS),
    **dict.fromkeys(("use_go_ps", "go_ps", "ps_volume"), _KEEPS),
    "distribution_strategy": _KEEPS,
    **dict.fromkeys(
        (
            "model_params", "aux_params", "data_reader_params", "use_async", "lr_staleness_modulation",
            "sync_version_tolerance", "get_model_steps", "output", "callbacks", "max_steps", "custom_training_loop",
            "checkpoint_dir_for_init", "prediction_data", "prediction_data_dir", "prediction_outputs_processor",
            "relaunch_on_worker_failure", "cluster_spec_json", "log_file_path", "log_loss_steps",
            "populate_env_names", "need_tf_config", "need_pod_manager", "job_type", "job_command",
        ),
        "",
    ),
}  # fmt: skip
_IMAGE = "the image must hold the ElasticDL of July 2019"
_EXACT = (*BEYOND, *RENAMED, *FOR_CLIENT, _ZOO, _MINIBATCHES, *LATER)
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")
_TWIN = re.compile(r"([A-Za-z_]\w*)\.\1\.([A-Za-z_]\w*)")  # a directory, its file, and what is in it


class Line:
    """A client's command line as data, with the place of every flag and of every part of its value."""

    def __init__(self, source: Document) -> None:
        self.source = source
        self.command, self.start = "", 0
        self.data: dict[str, Any] = {}
        self.given: dict[str, Flag] = {}
        self.values: dict[Path, Path] = {}
        self.keys: dict[Path, Path] = {}
        self.problems: list[Problem] = []

    def document(self) -> Document:
        """What the line says, for the schema of the client."""
        return Document(self.source.file, {self.command: self.data}, self.locate)

    def locate(self, path: Path, key: bool) -> Mark:
        """The place of a flag's value, or of a part of it; as a key, of its name."""
        if not path:
            return self.source.mark((), key=key)
        for end in range(len(path), 0, -1):
            if path[:end] in self.values:
                places = self.keys if key and end == len(path) else self.values
                return self.source.mark(places[path[:end]])
        return self.source.mark(("words", self.start - 1))

    def report(self, at: Path, message: str, rule: str, hint: str = "", *, warning: bool = False) -> None:
        """A problem or a warning at a word, or at a character of one."""
        made = self.source.warning if warning else self.source.problem
        self.problems.append(made(at, message, rule, hint))

    def put(self, name: str, value: Any, flag: Flag) -> None:
        """Say what a flag says, or something that follows from it."""
        self.data[name] = value
        self.keys[self.command, name], self.values[self.command, name] = flag.key, flag.at


def read(source: Document) -> Line:
    """What a command line says; a line without a command is none of the client's that makes a job."""
    line = Line(source)
    _command(line)
    if not line.command:
        return line
    own = _flags(line.command)
    for one in flags.read(source.data["words"], line.start, [name for name in own if name not in BEYOND], _EXACT):
        if isinstance(one, Flag):
            _take(line, one)
        elif one.rule == "flag" and (other := _of_other(line, one.at)):
            line.report(one.at, other, one.rule)
        else:
            line.report(one.at, one.message, one.rule, one.hint, warning=one.warning)
    for name, flag in line.given.items():
        _convert(line, name, flag)
    _other_ways(line)
    return line


def _flags(command: str) -> list[str]:
    """The flags of a command that the schema has."""
    return [*(schema.at(rules("elasticdl"), (command,)) or {})["properties"]]


def _of_other(line: Line, at: Path) -> str:
    """What to say of a flag that only the other command has."""
    name = line.source.data["words"][at[1]].partition("=")[0].removeprefix("--")
    (other,) = {*COMMANDS} - {line.command}
    if name not in _flags(other):
        return ""
    return f"--{name} is a flag of {other}; with {line.command} the client left it out without a word"


def _command(line: Line) -> None:
    """Find what the client is told to do."""
    words = line.source.data["words"]
    client = next((at for at, word in enumerate(words) if word.rpartition("/")[2] in ("elasticdl", MODULE)), None)
    if client is None:
        message = f"this is no command of ElasticDL's client; expected `elasticdl train` or `python -m {MODULE} train`"
        line.report((), message, "format")
        return
    told = words[client + 1] if client + 1 < len(words) else ""
    if told in COMMANDS:
        line.command, line.start = told, client + 2
        return
    if told == "predict":
        message, hint = (
            "the client of July 2019 cannot predict",
            "its master can: write a job description, with elasticdl.params.prediction_data_dir",
        )
    else:
        message, hint = f"{told or 'nothing'!r} is no command that makes a job; expected train or evaluate", ""
    line.report(("words", client + bool(told)), message, "client-command", hint)


def _take(line: Line, flag: Flag) -> None:
    """Keep a flag by the name it had in July 2019."""
    name = RENAMED.get(flag.name, flag.name)
    if flag.name in LATER:
        why = f"; {LATER[flag.name]}" if LATER[flag.name] else ""
        hint = "remove it; `chartgen explain elasticdl` says what the master of that time can do"
        line.report(
            flag.key, f"--{flag.name} came after July 2019, whose ElasticDL a chart runs{why}", "later-flag", hint
        )
        return
    if name in line.given:
        line.report(flag.key, f"--{flag.name} is there twice; the last one counts", "duplicate-flag", warning=True)
    line.given[name] = flag
    if name != flag.name:
        message = f"--{flag.name} is a later name of --{name}, by which the master of July 2019 knows it"
        line.report(flag.key, message, "later-flag", _IMAGE, warning=True)


def _convert(line: Line, name: str, flag: Flag) -> None:
    """A flag's value as the schema has it; text that cannot be so is left to the schema to refuse."""
    place = schema.at(rules("elasticdl"), (line.command, name))
    if place is None or (flag.value == "" and place.get("default", "") == ""):
        return  # one that is the client's own, or not said
    kind = types(place)[0]
    value: Any = flag.value
    if kind == "integer" and re.fullmatch(r"\s*[+-]?[0-9]+\s*", value):
        value = int(value)
    elif name == "log_level":
        value = value.upper()
    elif kind == "object":
        value = _pairs(line, name, flag)
    elif kind == "array":
        value = _volumes(line, name, flag)
    line.put(name, value, flag)


def _pairs(line: Line, name: str, flag: Flag) -> dict[str, str]:
    found, faults = variables(flag.value) if name == "envs" else pairs(flag.value)
    _faults(line, name, flag, faults)
    return dict(_said(line, (line.command, name), flag, found))


def _volumes(line: Line, name: str, flag: Flag) -> list[dict[str, str]]:
    """The volumes of a text, with ';' between them."""
    volumes: list[dict[str, str]] = []
    start = 0
    for text in flag.value.split(";"):
        if text.strip() or not volumes:
            path: Path = (line.command, name, len(volumes))
            line.keys[path] = line.values[path] = _character(flag, start)
            found, faults = pairs(text, start)
            _faults(line, name, flag, faults)
            volumes.append(dict(_said(line, path, flag, found)))
        start += len(text) + 1
    return volumes


def _said(line: Line, path: Path, flag: Flag, found: list[Pair]) -> Iterator[tuple[str, str]]:
    for pair in found:
        line.keys[*path, pair.name] = _character(flag, pair.name_at)
        line.values[*path, pair.name] = _character(flag, pair.value_at)
        yield pair.name, pair.value


def _faults(line: Line, name: str, flag: Flag, faults: list[Fault]) -> None:
    for fault in faults:
        at = _character(flag, fault.at)
        line.report(at, f"--{name}: {fault.message}", "assignment", fault.hint, warning=fault.warning)


def _character(flag: Flag, offset: int) -> Path:
    """The place of a character of a flag's value."""
    word, index, start = (*flag.at, 0)[:3]
    return (word, index, int(start) + offset)


def _other_ways(line: Line) -> None:
    """What later clients say in another way: the records of a task by minibatches, and the model by its module."""
    if flag := line.given.get(_MINIBATCHES):
        _minibatches(line, flag)
    model, zoo = line.given.get("model_def"), line.given.get(_ZOO)
    if model and (zoo or _DOTTED.fullmatch(model.value)):
        _module(line, model, zoo)


def _minibatches(line: Line, flag: Flag) -> None:
    """The records of a task, of which a later client has so many minibatches."""
    size = line.data.get("minibatch_size")
    records = int(flag.value) * (size if isinstance(size, int) else 1) if flag.value.isdecimal() else 0
    if "records_per_task" in line.given:
        message = f"--{_MINIBATCHES} says in another way what --records_per_task says; expected one of them"
        line.report(flag.key, message, "duplicate-flag")
    elif not records:
        line.report(flag.at, f"--{_MINIBATCHES}: expected a whole number above 0, got {flag.value!r}", "range")
    else:
        _read_as(line, flag, f"--records_per_task={records}, in records")
    line.put("records_per_task", line.data.get("records_per_task") or records or 1, flag)


def _read_as(line: Line, flag: Flag, meant: str) -> None:
    message = f"--{flag.name} says it as clients after July 2019 do; read as {meant}"
    line.report(flag.key, message, "later-flag", _IMAGE, warning=True)


def _module(line: Line, model: Flag, zoo: Flag | None) -> None:
    """A model by its directory, its file and what is in that, which a later client takes with dots between."""
    if not (twin := _TWIN.fullmatch(model.value)):
        message = f"{model.value!r} names a model as a later ElasticDL does; that of July 2019 takes a directory"
        hint = "it loads DIR/DIR.py, so put the model there, and write --model_def=DIR and --model_class=NAME"
        line.report(model.at, message, "later-flag", hint)
        return
    folder = zoo.value.strip("/") if zoo else "model_zoo"
    line.put("model_def", f"/{folder}/{twin[1]}", model)
    _read_as(line, model, f"--model_def=/{folder}/{twin[1]} --model_class={line.data.get('model_class', twin[2])}")
    if "model_class" not in line.data:
        line.put("model_class", twin[2], model)
