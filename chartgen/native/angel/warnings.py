"""What Angel accepts although it does not do what a person expects: a warning and its reason."""

import re
from collections.abc import Iterator, Mapping, Set

from chartgen.errors import Problem
from chartgen.native.draft import Draft
from chartgen.native.schemas import native_schema
from chartgen.words import nearest

PATHS = (
    "angel.train.data.path", "angel.predict.data.path", "angel.save.model.path",
    "angel.load.model.path", "angel.predict.out.path", "angel.log.path",
    "angel.tmp.output.path.prefix",
)  # fmt: skip
_MODEL = "angel.save.model.path"
_NEEDED_PATHS = {
    "train": ("angel.train.data.path", "angel.save.model.path"),
    "inctrain": ("angel.train.data.path", "angel.save.model.path"),
    "predict": ("angel.predict.data.path", "angel.predict.out.path"),
}
# Files that the submitter's machine had.
_FILES = (
    "angel.app.config.file",
    "angel.job.jar",
    "angel.app.user.resource.files",
    "angel.ml.conf",
    "angel.job.libjars",
)
_IN_IMAGE = "/opt/"  # where Angel's own image has everything
_SIZES = (".number", ".gb", ".mb", ".vcores")


def check(draft: Draft, properties: Mapping[str, str], refused: Set[str]) -> Iterator[Problem]:
    """All warnings about a described job, the properties left in it, and those refused."""
    yield from _data_splits(draft, properties)
    yield from _missing_paths(draft, properties, refused)
    yield from _unshared_paths(draft, properties)
    yield from _submitters_files(draft, properties)
    yield from _hadoop(draft, properties)
    yield from _port_range(draft, properties)
    yield from _misspelt_sizes(draft, properties)
    yield from _client_variables(draft, properties)
    if properties.get("action.type") == "predict":
        message = "Angel's client succeeds even if the prediction fails, and so does the job"
        hint = "check that the output is complete"
        yield draft.source.warning(("action.type",), message, "angel-predict-failure-hidden", hint)


def _data_splits(draft: Draft, properties: Mapping[str, str]) -> Iterator[Problem]:
    workers = draft.data["roles"]["worker"].get("replicas", 1)
    splits = workers * int(properties.get("angel.worker.task.number", 1))
    if workers > 1:
        message = (
            f"Angel waits forever for {workers} workers if the data has fewer than {splits} splits"
        )
        hint = f"provide {splits} files, or files with that many blocks"
        yield draft.source.warning(
            ("angel.workergroup.number",), message, "angel-data-splits", hint
        )


def _missing_paths(
    draft: Draft, properties: Mapping[str, str], refused: Set[str]
) -> Iterator[Problem]:
    action = properties.get("action.type", "train")
    for key in _NEEDED_PATHS.get(action, ()):
        if key not in properties and key not in refused:
            message = f"missing {key!r}, which Angel needs for the action {action!r}"
            yield draft.source.warning((), message, "angel-path-missing", key=True)


def _unshared_paths(draft: Draft, properties: Mapping[str, str]) -> Iterator[Problem]:
    mounts = _shared_mounts(draft)
    for key in PATHS:
        path = _local_path(properties, key)
        if path and not f"{path}/".startswith(mounts):
            message = f"{path!r} is not on a shared volume, so every pod would see its own files"
            hint = "mount a shared volume in the master and the executors"
            if not path.startswith("/"):
                hint = f"{hint}, and write the whole path"
            yield draft.source.warning((key,), message, "angel-path-not-shared", hint)


def _shared_mounts(draft: Draft) -> tuple[str, ...]:
    """Where all pods see the same files: on any volume but an empty one of their own."""
    own = set()
    for volume in draft.data.get("volumes", ()):
        if "emptyDir" in volume:
            own.add(volume["name"])
    mounts = []
    for mount in draft.data.get("volumeMounts", ()):
        if mount["name"] not in own:
            mounts.append(f"{mount['mountPath'].rstrip('/')}/")
    return tuple(mounts)


def _local_path(properties: Mapping[str, str], key: str) -> str:
    """The path of a property, if it is on the file system of a pod, as far as can be known.

    Without a scheme it is on Hadoop's default file system, and temporary output is where the
    model is.
    """
    value = properties.get(key, "")
    scheme, colon, rest = value.partition("://")
    if not colon and value.startswith("file:"):
        return value.removeprefix("file:")
    if colon:
        return rest if scheme == "file" else ""
    elsewhere = "fs.defaultFS" if "fs.defaultFS" in properties else "fs.default.name"
    if key == "angel.tmp.output.path.prefix" and "://" in properties.get(_MODEL, ""):
        elsewhere = _MODEL
    default_scheme = properties.get(elsewhere, "").partition("://")[0]
    return value if default_scheme in ("", "file") else ""


def _submitters_files(draft: Draft, properties: Mapping[str, str]) -> Iterator[Problem]:
    mounts = _shared_mounts(draft)
    for key in _FILES:
        for path in properties.get(key, "").split(","):
            path = path.strip().removeprefix("file:")
            path = f"/{path.lstrip('/')}" if path.startswith("//") else path
            known = "://" in path or path.startswith((_IN_IMAGE, *mounts))
            if path and not known:
                message = (
                    f"{path!r} was on the machine that the job was submitted from; "
                    "now it must be in the image or on a volume"
                )
                hint = "put it into the image, or on a volume of the master and the executors"
                yield draft.source.warning((key,), message, "angel-file-of-submitter", hint)
                break


def _hadoop(draft: Draft, properties: Mapping[str, str]) -> Iterator[Problem]:
    """Warn about HDFS, unless the image or a class path mentions Hadoop."""
    has = f"{draft.data.get('image', '')} {draft.data.get('angel', {})}"
    for key in PATHS:
        if properties.get(key, "").startswith("hdfs:") and "hadoop" not in has.lower():
            message = "HDFS needs an image with a Hadoop client, and Angel's own has none"
            hint = (
                "build an image with one; angel.hadoop or angel.hadoopConfigMap of the description "
                "configure it"
            )
            yield draft.source.warning((key,), message, "angel-hdfs-client", hint)
            break


def _port_range(draft: Draft, properties: Mapping[str, str]) -> Iterator[Problem]:
    key = "angel.listen.port.range"
    if key in properties:
        first, last = map(int, properties[key].split(","))
        if not 1025 <= first <= last <= 65535:
            message = (
                f"{properties[key]!r} is not a range of ports between 1025 and 65535; "
                "Angel uses 20000,30000 instead"
            )
            yield draft.source.warning((key,), message, "angel-port-range")


def _misspelt_sizes(draft: Draft, properties: Mapping[str, str]) -> Iterator[Problem]:
    """Angel ignores unknown properties, also one that is nearly one of those that size the job."""
    sizes = [key for key in native_schema("angel-submit")["properties"] if key.endswith(_SIZES)]
    for key in properties:
        if not key.startswith("angel.") or key in sizes:
            continue
        if meant := nearest(key, sizes, 0.9):
            message, hint = f"Angel has no property {key!r}", f"did you mean {meant!r}?"
            yield draft.source.warning((key,), message, "angel-property-misspelt", hint, key=True)


def _client_variables(draft: Draft, properties: Mapping[str, str]) -> Iterator[Problem]:
    """angel-submit fills in `${NAME}` from other properties or, in Angel's own, its environment."""
    env, given = draft.data["roles"]["client"].get("env", {}), draft.source.data
    used = {origin[0] for origin in draft.origins.values() if origin}
    for key, value in given.items():
        if "angel" not in key or not (key in properties or key in used):
            continue
        for name in re.findall(r"\$\{([^{}\s]+)\}", value):
            if name not in given and name not in env:
                message = f"Angel's client fills in ${{{name}}} from the environment of its pod"
                hint = (
                    f"set {name} in roles.client.env, "
                    f"or use double quotes and --define {name}=VALUE"
                )
                yield draft.source.warning((key,), message, "angel-client-variable", hint)
