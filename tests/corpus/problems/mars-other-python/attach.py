# A file that only attaches to a cluster makes none, and is told in Python's terms.
namespace, endpoint = cluster.namespace, cluster.endpoint
from mars.deploy.kubernetes import KubernetesClusterClient

cluster = KubernetesClusterClient(
    config.new_client_from_config(), namespace, endpoint)
