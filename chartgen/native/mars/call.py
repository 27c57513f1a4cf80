"""The call `new_cluster(...)` of Mars or Xorbits in a Python text, and its plain arguments."""

from collections.abc import Iterator

from chartgen.document import Document, Path
from chartgen.errors import Mark, Problem
from chartgen.startup.typing import Any
from chartgen.syntax import python_call
from chartgen.syntax.python_call import MODULE, Expression, Signature, expressions
from chartgen.syntax.text import DEFAULTS, ReadOptions, TextPart
from chartgen.words import short

_VOLUMES = {
    "HostPathVolumeConfig": ("name", "mount_path", "host_path", "volume_type"),
    "EmptyDirVolumeConfig": ("name", "mount_path", "use_memory", "size_limit"),
}
NEW_CLUSTER = Signature(
    "new_cluster",
    (
        "kube_api_client", "image", "scheduler_num", "scheduler_cpu", "scheduler_mem",
        "worker_num", "worker_cpu", "worker_mem", "worker_spill_paths", "worker_cache_mem",
        "min_worker_num", "web_num", "web_cpu", "web_mem", "service_type", "timeout",
    ),
    _VOLUMES,
    "worker_num=2",
    ("mars.deploy.kubernetes", "mars.kubernetes"),
    ("new_session", "init", "new_ray_session"),
    "this program uses a cluster and makes none; it can be the driver of one: "
    "`chartgen explain framework mars`",
)  # fmt: skip
_OF_XORBITS = Signature(
    "new_cluster",
    (
        "kube_api_client", "worker_cpu", "worker_mem", "image", "supervisor_num", "supervisor_cpu",
        "supervisor_mem", "worker_num", "worker_spill_paths", "worker_cache_mem", "min_worker_num",
        "pip", "conda", "timeout", "cluster_type", "external_storage",
    ),
    _VOLUMES,
    "worker_num=2",
    ("xorbits.deploy.kubernetes",),
)  # fmt: skip

_CLIENT = "kube_api_client"
_PLAIN = "a number, text, a list, a dict, True, False or None"


def read(data: bytes, file: str, _options: ReadOptions = DEFAULTS) -> list[Document]:
    """The one call of a text, or InputError with every problem found."""
    return python_call.read(data, file, (NEW_CLUSTER, _OF_XORBITS))


def parts(text: str) -> list[TextPart]:
    """The comments that belong to the call."""
    return python_call.parts(text, NEW_CLUSTER.function)


def module_of(document: Document) -> str:
    """The module whose function is called, if it is not that of Mars."""
    return str(document.data.get(MODULE, ""))


def with_supervisors(document: Document) -> Document:
    """The same call where an argument by position is one of supervisors, as from Mars 0.7 on."""
    renamed: dict[str, str] = {}
    for keyword in document.data:
        by_position = document.mark((keyword,), key=True) == document.mark((keyword,))
        if keyword.startswith("scheduler_") and by_position:
            renamed[f"supervisor_{keyword.removeprefix('scheduler_')}"] = keyword
    before = {keyword: name for name, keyword in renamed.items()}
    data = {before.get(keyword, keyword): value for keyword, value in document.data.items()}

    def locate(path: Path, key: bool) -> Mark:
        first = str(path[0]) if path else ""
        return document.locate((renamed.get(first, first), *path[1:]) if path else path, key)

    return document._replace(data=data, locate=locate)


def plain_arguments(document: Document) -> tuple[Document, list[Problem]]:
    """The arguments with a plain value, without the client and None; and problems with others."""
    arguments: dict[str, Any] = {}
    problems: list[Problem] = []
    for keyword, value in document.data.items():
        if keyword == MODULE:
            continue
        if keyword == _CLIENT:
            problems += _check_client(document, value)
        elif unknown := list(_unknown_values(document, keyword, value)):
            problems += unknown
        elif value is not None:
            arguments[keyword] = value
    return document._replace(data=arguments), problems


def _check_client(document: Document, value: Any) -> Iterator[Problem]:
    if value is not None and not isinstance(value, Expression):
        message = (
            f"the first argument is Mars' Kubernetes client, not {value!r}; "
            "expected a keyword before this value"
        )
        yield document.problem(
            (_CLIENT,), message, "python-argument-unnamed", f"for example image={value!r}"
        )


def _unknown_values(document: Document, keyword: str, value: Any) -> Iterator[Problem]:
    for path, text in expressions(value, (keyword,)):
        message = f"{short(text)} is known only when Python runs, and chartgen never runs it"
        message += f"; expected {_PLAIN}"
        hint = "write the value, or a name that is assigned once, in the file or in the function"
        yield document.problem(path, message, "python-value-unknown", hint)
