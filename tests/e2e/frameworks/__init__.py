"""The frameworks that the tests run, one file each."""

import pytest

from tests.e2e.frameworks import (
    angel,
    custom,
    elasticdl,
    jax,
    mars,
    mpi,
    mxnet,
    pytorch,
    tensorflow,
)
from tests.e2e.jobs import Framework

FRAMEWORKS = (
    tensorflow.FRAMEWORK,
    mxnet.FRAMEWORK,
    elasticdl.FRAMEWORK,
    mars.FRAMEWORK,
    angel.FRAMEWORK,
    pytorch.FRAMEWORK,
    jax.FRAMEWORK,
    mpi.FRAMEWORK,
    custom.FRAMEWORK,
)


def only(*frameworks: Framework) -> pytest.MarkDecorator:
    """For a test that applies to some frameworks only."""
    return pytest.mark.parametrize(
        "framework", frameworks, ids=lambda framework: framework.name, indirect=True
    )


FIRST = only(FRAMEWORKS[0])  # for a test that does not depend on the framework
SEVERAL_JOBS = only(*(framework for framework in FRAMEWORKS if len(framework.roles) > 1))
