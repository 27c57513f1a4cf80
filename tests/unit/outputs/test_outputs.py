"""The outputs: what the command line and project files offer is what there is."""

import pytest

from chartgen import outputs, resources
from tests.support.command_line import Typist


def test_project_files_and_the_command_line_offer_every_output(typed: Typist) -> None:
    schema = resources.data("schemas/project.schema.json")
    assert schema["properties"]["format"]["enum"] == [*outputs.OUTPUTS]
    text = " ".join(typed("render", "--help").out.split())
    for name, about in outputs.OUTPUTS.items():
        assert f"{name}: {about}" in text


@pytest.mark.parametrize("name", outputs.OUTPUTS)
def test_options_of_the_install_are_for_outputs_that_install(name: str, typed: Typist) -> None:
    """A chart takes its values from helm install, and says so."""
    typed.job()
    done = typed("render", "mnist.yaml", "-o", "out", "--format", name, "--release", "My release")
    assert done.code == 2
    refuses = "--release needs --format manifests" in done.err
    assert refuses == (not outputs.output(name).INSTALLS)
