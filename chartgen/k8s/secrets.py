"""Names of environment variables that usually hold secrets."""

import re
from typing import Any

_SECRET = re.compile(
    r"(?:.*_)?(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY"
    r"|SECRET_ACCESS_KEY|CREDENTIALS?)",
    re.IGNORECASE,
)


def is_literal_secret(name: str, value: Any) -> bool:
    """Whether a variable holds a secret itself, and not a path, a reference or nothing."""
    if not isinstance(value, str) or not value or value.startswith(("/", "$(", "gs://", "s3://")):
        return False
    return _SECRET.fullmatch(name) is not None
