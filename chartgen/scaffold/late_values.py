"""Values that a template can print but not look at, because only Helm knows them."""

from jinja2.exceptions import TemplateRuntimeError

from chartgen.startup.typing import Any, NoReturn


class TooEarlyError(TemplateRuntimeError):
    """A template looks at what is known only at install."""

    def __init__(self, message: str, hint: str = "") -> None:
        self.hint = hint
        super().__init__(message)


class UnknownValueError(TooEarlyError):
    """A template names a value that the chart does not have."""


class LateValue:
    """A placeholder for a Helm value; it prints as Go template text, and has no other use."""

    def printed(self) -> str:
        """The Go template text."""
        raise NotImplementedError

    def named(self) -> str:
        """What it is, for messages."""
        raise NotImplementedError

    def refuse(self, what: str, hint: str = "") -> NoReturn:
        """Say that this cannot be done to it."""
        message = f"{self.named()} is known only when Helm installs the chart; it cannot be {what}"
        decide = f"let Helm decide: {{{{- if <%= go({self.named()}) %> }}}} ... {{{{- end }}}}"
        raise TooEarlyError(message, hint or decide)

    def refuse_joining(self) -> NoReturn:
        """Say how it becomes part of a text."""
        self.refuse("part of a text", f'let Helm join them: <%= text("...", {self.named()}) %>')

    def __bool__(self) -> bool:
        self.refuse("tested")

    def __eq__(self, _other: object) -> bool:
        self.refuse("compared")

    def __hash__(self) -> int:
        return id(self)

    def __lt__(self, _other: Any) -> bool:
        self.refuse("compared")

    __gt__ = __le__ = __ge__ = __lt__

    def __iter__(self) -> Any:
        self.refuse("looped over")

    def __len__(self) -> int:
        self.refuse("counted")

    def __contains__(self, _item: object) -> bool:
        self.refuse("searched")

    def __int__(self) -> int:
        self.refuse("made a number")

    def __str__(self) -> str:
        self.refuse_joining()
