"""names: what objects are called."""

from chartgen import resources
from chartgen.plan import names


def test_a_replica_is_named_by_prefix_role_id_and_index() -> None:
    assert names.replica("mnist-", "worker", "76no", 3) == "mnist-worker-76no-3"


def test_an_id_that_is_not_given_is_as_long_as_the_hash_will_be() -> None:
    """The chart makes it at install: charts/job truncates a SHA-256 to as many digits."""
    assert names.replica("", "ps", "", 0) == "ps-00000000-0"
    assert f"trunc {names.HASH}" in resources.text("charts/job/templates/lib/_job.tpl")


def test_objects_that_exist_once_have_no_index() -> None:
    assert names.single("a-", "tensorboard", "76no") == "a-tensorboard-76no"
