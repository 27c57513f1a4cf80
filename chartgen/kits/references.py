"""References to Helm values: what `values.X` in a template of a kit prints."""

import re
from collections.abc import Mapping
from json import dumps

from chartgen.scaffold.late_values import LateValue, UnknownValueError
from chartgen.schema.walk import Schema
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.words import did_you_mean

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_IMAGE = {"$ref": "#/definitions/imageReference"}


class PrintTarget(NamedTuple):
    """What a template prints, and of which values."""

    form: str  # yaml, notes or readme
    schema: Schema  # of the chart's values
    present: frozenset[str]  # groups of values that are always there


class Reference(LateValue):
    """A Helm value, by its path; fields of it are references too."""

    def __init__(self, target: PrintTarget, path: tuple[str, ...], node: Mapping[str, Any]) -> None:
        self._target, self._path, self._node = target, path, node

    def __getattr__(self, name: str) -> "Reference":
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: Any) -> "Reference":
        if not isinstance(name, str):
            self.refuse("looked into by an index")
        known = self._node.get("properties", {})
        path = (*self._path, name)
        if name in known:
            return Reference(self._target, path, _resolve(known[name], self._target.schema))
        others = self._node.get("additionalProperties", True)
        if others is False or (known and "additionalProperties" not in self._node):
            where = ".".join(("values", *self._path))
            message = f"there is no {name!r} in {where}"
            raise UnknownValueError(message, did_you_mean(name, known))
        return Reference(self._target, path, _resolve(others, self._target.schema))

    def named(self) -> str:
        """As the template says it."""
        return ".".join(("values", *self._path))

    def printed(self) -> str:
        """A reference that Helm prints quoted, whatever the value is."""
        if self._target.form == "readme":
            return f"`{'.'.join(self._path)}`"
        what = f'include "chartgen.text" {self.expression()}'
        if self._is_image():
            shared = " | default $.Values.image" if self._path[:1] == ("roles",) else ""
            image = f'({self.expression()}{shared} | default "")'
            where = dumps(".".join(self._path))
            arguments = f'(dict "root" $ "image" {image} "where" {where})'
            what = f'include "chartgen.imageText" {arguments}'
        elif self._target.form == "yaml":
            what = self.expression()
        return f"{{{{ {what} | toJson }}}}" if self._target.form == "yaml" else f"{{{{ {what} }}}}"

    def text(self) -> str:
        """A Go expression for it as a text."""
        return f'(include "chartgen.text" {self.expression()})'

    def expression(self) -> str:
        """The Go expression for it; a group that may be missing is an empty one."""
        text = "$.Values"
        for index, step in enumerate(self._path):
            if index and not self._is_present(self._path[:index]):
                text = f"({text} | default dict)"
            if _IDENTIFIER.fullmatch(step):
                text = f"{text}.{step}"
            else:
                text = f"(index {text} {dumps(step)})"
        return text

    def _is_present(self, path: tuple[str, ...]) -> bool:
        return path[0] in self._target.present and len(path) <= (2 if path[0] == "roles" else 1)

    def _is_image(self) -> bool:
        return _IMAGE in self._node.get("anyOf", ())


def _resolve(node: Any, schema: Schema) -> Mapping[str, Any]:
    if not isinstance(node, Mapping):
        return {}
    name = str(node.get("$ref", "")).removeprefix("#/definitions/")
    return schema["definitions"].get(name, {}) if name else node
