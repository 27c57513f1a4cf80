# Mars 0.10: a supervisor by position, a web port of its own, and directories for what does not fit into memory.
from kubernetes import config
from mars.deploy.kubernetes import EmptyDirVolumeConfig, new_cluster

cluster = new_cluster(
    config.new_client_from_config(),
    "marsproject/mars:v0.10.0",
    1,
    2,
    "8g",
    worker_num=3,
    worker_cpu=4,
    worker_mem="16g",
    worker_mem_limit_ratio=1.5,
    worker_spill_paths=["/mnt/ssd"],
    worker_cache_mem="25%",
    min_worker_num=2,
    web_num=1,  # ignored by this Mars
    web_port=8080,
    service_port=7200,
    extra_volumes=[EmptyDirVolumeConfig("scratch", "/scratch", size_limit=2**30)],
    supervisor_extra_env={"LOG": "debug"},
    worker_extra_labels={"team": "vision"},
    extra_modules=["team.operators"],
    timeout=600,
)
