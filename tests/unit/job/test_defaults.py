"""Defaults of a project or a kit, laid under a job description."""

import pytest

from chartgen.job.defaults import lay_defaults
from chartgen.syntax.yaml import reader as yaml_reader

JOB = """
image: mnist:1
helperImage: none
cleanup: {image: none}
wait: {image: {repository: team/wait, tag: "1"}}
tensorboard: {image: board:1, logDir: /logs}
roles:
  image:
    image: {repository: role, digest: "sha256:1"}
    overrides: {"1": {image: other:1, sidecars: [{name: log, image: log:1}]}}
    initContainers: [{name: init, image: init:1}]
  ps: {template: {spec: {containers: [{name: ps, image: ps:1}]}}}
"""


def test_a_registry_is_put_before_every_image_that_names_none() -> None:
    """Those of the job, the defaults, overrides and other containers; `none` is the job's own."""
    (document,) = yaml_reader.read(JOB.encode(), "job.yaml")
    (defaults,) = yaml_reader.read(b"tests: {image: test:1}", "chartgen.yaml")
    data = lay_defaults(document, defaults, "our.example.com", ()).data
    assert data["image"] == "our.example.com/mnist:1"
    assert data["helperImage"] == data["cleanup"]["image"] == "none"
    assert data["wait"]["image"] == {"repository": "our.example.com/team/wait", "tag": "1"}
    assert data["tensorboard"] == {"image": "our.example.com/board:1", "logDir": "/logs"}
    assert data["tests"]["image"] == "our.example.com/test:1"
    role = data["roles"]["image"]
    assert role["image"]["repository"] == "our.example.com/role"
    assert role["overrides"]["1"]["image"] == "our.example.com/other:1"
    assert role["overrides"]["1"]["sidecars"] == [{"name": "log", "image": "our.example.com/log:1"}]
    assert role["initContainers"] == [{"name": "init", "image": "our.example.com/init:1"}]
    (container,) = data["roles"]["ps"]["template"]["spec"]["containers"]
    assert container["image"] == "our.example.com/ps:1"


@pytest.mark.parametrize("image", ["a.b/c", "localhost/c", "a:5000/c", "Upper/c", ""])
def test_an_image_that_names_a_registry_keeps_it(image: str) -> None:
    (document,) = yaml_reader.read(f"image: '{image}'\n".encode(), "job.yaml")
    assert lay_defaults(document, document, "our.example.com", ()).data == {"image": image}
