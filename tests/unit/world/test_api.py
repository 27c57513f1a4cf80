"""Kubeconfigs that no request can be made with; tests/unit/cli/test_life.py has the others."""

import pytest

from chartgen.errors import WorldError
from chartgen.world.cluster.api import Api
from chartgen.world.cluster.kubeconfig import Access


def api(server: str, *, token: str = "", namespace: str = "default") -> Api:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return Api(Access(server, namespace, None, "", "", lambda: headers))


def test_a_token_that_no_header_can_have_is_not_printed() -> None:
    with pytest.raises(WorldError, match="the credentials contain a character") as caught:
        api("http://127.0.0.1:1", token="secret\n").get("/version")
    assert "secret" not in str(caught.value)


def test_a_port_that_is_not_a_number() -> None:
    with pytest.raises(WorldError, match=r"cannot reach the cluster at .*: Port"):
        api("http://127.0.0.1:http").get("/version")


def test_a_namespace_that_no_url_can_have() -> None:
    with pytest.raises(WorldError, match="cannot reach the cluster"):
        api("http://127.0.0.1:1", namespace="größe").list("v1/pods")
