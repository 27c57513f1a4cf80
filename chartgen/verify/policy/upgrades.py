"""Upgrades: what breaks `helm upgrade` and GitOps, found by comparing two renderings."""

from collections.abc import Iterator, Mapping, Sequence

from chartgen.errors import Problem
from chartgen.k8s.objects import Object, changed_immutable_fields, fields, is_hook, place
from chartgen.startup.typing import Any


def new_version(before: Sequence[Object], after: Sequence[Object]) -> Iterator[Problem]:
    """What makes every upgrade fail, even if only the chart's version changes."""
    return _immutable(before, after, "the chart's next version")


def changed_job(before: Sequence[Object], after: Sequence[Object]) -> Iterator[Problem]:
    """What makes the upgrade to a changed job fail: other pods under the same runtime id."""
    for problem in _immutable(before, after, "this job"):
        hint = "give another runtimeId, or none: it is then a hash of the pods"
        yield problem._replace(hint=hint)


def new_image(before: Sequence[Object], after: Sequence[Object]) -> Iterator[Problem]:
    """The same for other images: a warning, because each run may be meant to be a new release."""
    for problem in _immutable(before, after, "another image"):
        yield problem._replace(severity="warning")


def _immutable(before: Sequence[Object], after: Sequence[Object], change: str) -> Iterator[Problem]:
    """Objects that keep their names but change an immutable field."""
    known = {_identity(obj): obj for obj in before if not is_hook(obj)}
    for obj in after:
        old, kind = known.get(_identity(obj)), obj["kind"]
        if old is None or is_hook(obj):
            continue
        for field in changed_immutable_fields(old, obj):
            message = (
                f"`helm upgrade` to {change} would fail: this field of a {kind} cannot be changed"
            )
            hint = f"do not change it, or put a hash of it into the {kind}'s name"
            where = place(obj).below(*field.split("."))
            yield where.problem(message, "upgrade-immutable-field", hint)


def _identity(obj: Object) -> tuple[str, str]:
    return obj["kind"], obj["metadata"]["name"]


def unstable(first: Sequence[Object], second: Sequence[Object]) -> Iterator[Problem]:
    """Objects that differ though nothing has changed: GitOps would apply them again and again."""
    known = {_identity(obj): obj for obj in first}
    for obj in second:
        if known.get(_identity(obj)) != obj and not is_hook(obj):
            message = "renders differently each time, so Argo CD and Flux will never converge"
            hint = "leave out random values, timestamps and generated certificates"
            yield place(obj).warning(message, "chart-unstable", hint)


def other_images(values: Any) -> dict[str, Any]:
    """Values with another image wherever these have one; empty if they have none."""
    changed: dict[str, Any] = {}
    for key, value in values.items() if isinstance(values, Mapping) else ():
        if key == "image" and isinstance(value, str) and value and "@" not in value:
            has_tag = ":" in value.rpartition("/")[2]
            changed[key] = f"{value}-next" if has_tag else f"{value}:next"
        elif key == "image" and isinstance(fields(value).get("tag"), str) and value["tag"]:
            changed[key] = {"tag": f"{value['tag']}-next"}
        elif inner := other_images(value):
            changed[key] = inner
    return changed
