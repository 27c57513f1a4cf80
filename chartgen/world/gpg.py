"""Sign a text with GnuPG."""

from chartgen.errors import WorldError

_WAYS = """\
  - install GnuPG (Debian: apt-get install gnupg), or name it: --gpg FILE
  - make a key: gpg --quick-generate-key 'Name <name@example.com>'
  - list your keys: gpg --list-secret-keys"""


def clearsign(message: str, key: str, gpg: str = "", passphrase_file: str = "") -> str:
    """The message with a signature by this key, as `helm verify` reads it."""
    import shutil
    import subprocess

    path = shutil.which(gpg or "gpg")
    if path is None:
        raise WorldError(f"{gpg or 'gpg'} was not found, and a signature needs it:\n{_WAYS}")
    command = [path, "--batch", "--yes", "--digest-algo", "SHA512", "--local-user", key]
    if passphrase_file:
        command += ["--pinentry-mode", "loopback", "--passphrase-file", passphrase_file]
    command.append("--clearsign")
    try:
        done = subprocess.run(command, input=message.encode(), capture_output=True)
    except OSError as error:
        raise WorldError(f"cannot run {path}: {error.strerror}\n{_WAYS}") from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        why = said[-1] if said else f"exit code {done.returncode}"
        raise WorldError(f"gpg cannot sign with the key {key!r}: {why}\n{_WAYS}")
    return done.stdout.decode()
