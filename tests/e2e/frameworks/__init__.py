"""The frameworks that the tests run, each in a file of its own."""

import pytest

from tests.e2e.frameworks import angel, mxnet, tensorflow
from tests.e2e.jobs import Framework

FRAMEWORKS = (tensorflow.FRAMEWORK, mxnet.FRAMEWORK, angel.FRAMEWORK)


def only(*frameworks: Framework) -> pytest.MarkDecorator:
    """For a test that some frameworks alone have something to show for."""
    return pytest.mark.parametrize("framework", frameworks, ids=lambda framework: framework.name, indirect=True)


FIRST = only(FRAMEWORKS[0])  # for a test of what no framework makes a difference to
SEVERAL_JOBS = only(*(framework for framework in FRAMEWORKS if len(framework.roles) > 1))
