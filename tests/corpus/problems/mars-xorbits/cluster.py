from xorbits.deploy.kubernetes import new_cluster

new_cluster(
    api,
    2,
    "8g",
    supervisor_num=2,
    worker_spill_paths=["/mnt/ssd"],
    pip=["requests"],
    external_storage="juicefs",
    web_num=1,
)
