"""What people left in objects of operators, read as it was meant: old keys, and values moved."""

from collections.abc import Iterator

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.schema.suggest import is_placeholder
from chartgen.startup.typing import Any

JOB_NAME = 40  # characters of a job's name, as its schema says


class Mender:
    """Data that is changed in place, where it comes from, and a warning for each change."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.data: Any = _copy(document.data)
        self.origins: dict[Path, Path] = {(): ()}
        self.problems: list[Problem] = []

    def at(self, *path: str | int) -> Any:
        """The value at a path, or None."""
        node = self.data
        for step in path:
            known: Any = node if isinstance(node, dict) else ()
            if isinstance(node, list):
                known = range(len(node))
            if step not in known:
                return None
            node = node[step]
        return node

    def move(self, source: Path, target: Path) -> None:
        """Move a value; its parents exist."""
        self.at(*target[:-1])[target[-1]] = self.at(*source[:-1]).pop(source[-1])
        self.origins[target] = source

    def warn(self, path: Path, message: str, rule: str, hint: str = "", key: bool = False) -> None:
        """A warning at a path of the text."""
        self.problems.append(self.document.warning(path, message, rule, hint, key=key))

    def result(self) -> tuple[Document, list[Problem]]:
        """The document as it was meant."""
        return self.document.moved(self.data, self.origins), self.problems


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def mend_name(mender: Mender) -> None:
    """A name that is missing, and one that is too long for a job."""
    _give_name(mender)
    _cut_name(mender)


def _give_name(mender: Mender) -> None:
    """Where there is no name, that of --set, or what a generated one would begin with."""
    metadata = mender.at("metadata")
    if not isinstance(metadata, dict):
        return
    name, given = metadata.get("name", ""), mender.document.setting("name")
    lacks = isinstance(name, str) and (not name or is_placeholder(name))
    if lacks and isinstance(given, str):
        metadata["name"] = given
        return
    start = metadata.get("generateName")
    if name == "" and isinstance(start, str) and (short := start.rstrip("-.")):
        mender.move(("metadata", "generateName"), ("metadata", "name"))
        metadata["name"] = short
        message = f"the cluster generates a name; that of a chart is fixed: read as {short!r}"
        hint = f"write name: {short}, or add --set name=NAME"
        mender.warn(("metadata", "generateName"), message, "name-generated", hint, key=True)


def _cut_name(mender: Mender) -> None:
    """Operators cut long names where they made objects of them; a chart's is cut as a whole."""
    name = mender.at("metadata", "name")
    if isinstance(name, str) and len(name) > JOB_NAME:
        short = name[:JOB_NAME].rstrip("-.")
        message = (
            f"a job's name has at most {JOB_NAME} characters, and this one has {len(name)}; "
            f"cut to {short!r}, as the operators did in the names of objects"
        )
        mender.warn(("metadata", "name"), message, "name-cut", "choose a shorter name")
        mender.data["metadata"]["name"] = short


def templates(mender: Mender, *specs: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every pod template of an object, with its path, as far as it has the form of one."""
    sets = mender.at(*specs)
    if not isinstance(sets, dict | list):
        return
    steps = sets.items() if isinstance(sets, dict) else enumerate(sets)
    for step, replica_set in steps:
        template = replica_set.get("template") if isinstance(replica_set, dict) else None
        if isinstance(template, dict) and isinstance(template.get("spec"), dict):
            yield (*specs, step, "template"), template


def mend_templates(mender: Mender, container: str, *specs: str) -> None:
    """Resources beside the containers, and images that --image gives."""
    for path, template in templates(mender, *specs):
        containers = template["spec"].get("containers")
        main = _main(containers, container)
        if main is None:
            continue
        source: Path = (*path, "spec", "resources")
        if "resources" in template["spec"] and "resources" not in containers[main]:
            mender.move(source, (*path, "spec", "containers", main, "resources"))
            message = (
                "a pod has no resources, so the operator dropped them; read as the container's"
            )
            mender.warn(source, message, "template-resources", "indent them further", key=True)
        image = containers[main].get("image")
        if mender.document.gives("image") and isinstance(image, str) and is_placeholder(image):
            del containers[main]["image"]


def _main(containers: Any, name: str) -> int | None:
    """The index of the container that trains: the one of this name, or the only one."""
    if not isinstance(containers, list) or not all(
        isinstance(container, dict) for container in containers
    ):
        return None
    for index, container in enumerate(containers):
        if container.get("name") == name:
            return index
    return 0 if len(containers) == 1 else None


def rename_container(mender: Mender, old: str, new: str, *specs: str) -> None:
    """A container with the name that another operator wants, if no other can be meant."""
    for path, template in templates(mender, *specs):
        containers = template["spec"].get("containers")
        index = _main(containers, old)
        if index is None or len(containers) > 1 or containers[index].get("name") != old:
            continue
        containers[index]["name"] = new
        message = f"the container that trains is named {new!r}, not {old!r}; read as {new!r}"
        where: Path = (*path, "spec", "containers", index, "name")
        mender.warn(where, message, "container-main-missing", f"name it {new!r}")
