"""The frameworks that the tests run, each in a file of its own."""

import pytest

from tests.e2e.frameworks import elasticdl, mars, mxnet, tensorflow

FRAMEWORKS = (tensorflow.FRAMEWORK, mxnet.FRAMEWORK, elasticdl.FRAMEWORK, mars.FRAMEWORK)
# For a test of what no framework makes a difference to.
FIRST = pytest.mark.parametrize("framework", FRAMEWORKS[:1], ids=[FRAMEWORKS[0].name], indirect=True)
