"""Names of environment variables that usually hold secrets."""

from chartgen.startup.typing import Any

# How such names end, after a "_" or alone.
_ENDS = (
    *("_PASSWORD", "_PASSWD", "_PASSPHRASE", "_SECRET", "_TOKEN", "_CREDENTIAL", "_CREDENTIALS"),
    *("_APIKEY", "_API_KEY", "_ACCESSKEY", "_ACCESS_KEY", "_PRIVATEKEY", "_PRIVATE_KEY"),
)


def is_literal_secret(name: str, value: Any) -> bool:
    """Whether a variable holds a secret itself, and not a path, a reference or nothing."""
    if not isinstance(value, str) or not value or value.startswith(("/", "$(", "gs://", "s3://")):
        return False
    return f"_{name.upper()}".endswith(_ENDS)
