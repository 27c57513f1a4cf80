# Xorbits: the import tells it apart, and its arguments by position are others than those of Mars.
from kubernetes import config
from xorbits.deploy.kubernetes import new_cluster

cluster = new_cluster(
    config.new_client_from_config(),
    2,
    "8g",
    worker_num=4,
    use_local_image=True,
    extra_modules="team.operators",
    service_name="xorbits-service",
    cluster_type="kubernetes",
)
