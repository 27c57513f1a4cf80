"""What only the Python client for Kubernetes knows: the tokens of an `auth-provider`."""

from chartgen.errors import WorldError

MISSING = "the Python client for Kubernetes is missing: pip install 'chartgen[cluster]'"


def authorization(kubeconfig: str, context: str) -> str:
    """Who the user of a context is, as a header."""
    from importlib.util import find_spec

    if find_spec("kubernetes") is None:
        raise WorldError(
            f"the user of context {context!r} has an auth-provider; for these, {MISSING}"
        )
    from kubernetes import client, config
    from kubernetes.client.exceptions import ApiException
    from urllib3.exceptions import HTTPError

    configuration = client.Configuration()
    try:
        config.load_kube_config(kubeconfig, context, configuration, persist_config=False)
    except (config.ConfigException, ApiException, HTTPError, OSError, ValueError) as error:
        raise WorldError(f"cannot authenticate: {error}") from error
    return str(configuration.get_api_key_with_prefix("authorization") or "")
