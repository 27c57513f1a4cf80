# A call of new_cluster as people have them; chartgen reads it and runs none of it.
from kubernetes import config
from mars.deploy.kubernetes import new_cluster

cluster = new_cluster(
    config.new_client_from_config(),
    image="local/mars:1",
    worker_num=2,
    worker_cpu=1,
    worker_mem="1g",
    worker_cache_mem="20%",
    worker_extra_env={"MARS_LOAD_MODULES": "mars.learn"},
)
