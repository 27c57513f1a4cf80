"""`chartgen init`: it prints a description that can be rendered as it is."""

import pytest

from chartgen import frameworks, pipeline
from chartgen.cli import main


def test_the_starter_description_is_valid(capsys: pytest.CaptureFixture[str]) -> None:
    """Name, image and roles as given, and everything else is a comment."""
    assert (
        main(
            [
                "init",
                "mnist",
                "--image",
                "registry.example.com/mnist:1.4",
                "--role",
                "chief",
                "--role",
                "worker=3",
            ]
        )
        == 0
    )
    (document,) = pipeline.read(capsys.readouterr().out.encode(), "job.yaml")
    job = pipeline.check(document).job
    assert (job.name, job.shared) == ("mnist", {"image": "registry.example.com/mnist:1.4"})
    assert {name: role.replicas for name, role in job.roles.items()} == {"chief": 1, "worker": 3}


def test_without_roles_the_frameworks_usual_ones_are_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["init", "mnist"]) == 0
    (document,) = pipeline.read(capsys.readouterr().out.encode(), "job.yaml")
    assert list(document.data["roles"]) == ["chief", "worker"]


def test_the_starter_description_of_every_framework_is_valid(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in frameworks.MODULES:
        assert main(["init", "first", "--framework", name]) == 0
        (document,) = pipeline.read(capsys.readouterr().out.encode(), "job.yaml")
        assert tuple(document.data["roles"]) == frameworks.framework(name).FIRST


def test_an_image_that_yaml_would_misread_is_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "mnist", "--image", "012"]) == 0
    assert 'image: "012"\n' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--framework", "tensorflaw"], 2, "did you mean 'tensorflow'?"),
        (["--role", "worker=many"], 2, "expected ROLE or ROLE=COUNT"),
        (["--role", "wroker"], 1, "did you mean 'worker'?"),
        (["--role", "chief=2"], 1, "roles.chief has 2 replicas; expected at most one"),
    ],
)
def test_wrong_arguments_are_refused(
    words: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """As wrong usage, or as problems of the job they would give."""
    assert main(["init", "mnist", *words]) == code
    printed = capsys.readouterr()
    assert said in printed.err
    assert printed.out == ""


@pytest.mark.parametrize(
    ("framework", "programs"),
    [
        ("tensorflow", {"chief", "worker"}),
        ("mxnet", {"worker"}),
        ("elasticdl", set()),
        ("angel", set()),
        ("mars", {"driver"}),
        ("pytorch", {"worker"}),
        ("jax", {"worker"}),
        ("custom", {"worker"}),
        ("mpi", {"launcher"}),
    ],
)
def test_a_command_is_written_only_where_the_framework_has_none(
    framework: str, programs: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Elsewhere it would replace the program that has to run, or be refused."""
    assert main(["init", "first", "--framework", framework]) == 0
    text = capsys.readouterr().out.replace("    # command:", "    command:")
    (document,) = pipeline.read(text.encode(), "job.yaml")
    assert {name for name, role in document.data["roles"].items() if "command" in role} == programs
    pipeline.check(document)
