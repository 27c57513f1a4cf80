"""Budget: how far a text may expand, the same for every syntax; ten lines can mean a billion."""

VALUES = 100_000  # that come from aliases or names, and are not written out
CHARACTERS = 4 * 2**20  # of texts that come from them; as many as a file may have
DEPTH = 100  # levels of nesting, expanded or written

LIMITS = f"{VALUES:,} values or {CHARACTERS:,} characters"
TOO_DEEP = f"values are nested more than {DEPTH} levels deep here; expected fewer"


class OverBudgetError(Exception):
    """A text means more than anybody can have written."""


class Budget:
    """What one text may still expand to."""

    def __init__(self) -> None:
        self.values = VALUES
        self.characters = CHARACTERS

    def spend(self, values: int = 0, characters: int = 0) -> None:
        """Count what was reached by an alias, a name or a variable; OverBudgetError at the end."""
        self.values -= values
        self.characters -= characters
        if self.values < 0 or self.characters < 0:
            raise OverBudgetError
