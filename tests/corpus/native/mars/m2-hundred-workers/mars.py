# A hundred workers; the program goes on as soon as 95 of them are there.
from kubernetes import config
from mars.deploy.kubernetes import new_cluster

api_client = config.new_client_from_config()
cluster = new_cluster(
    api_client,
    scheduler_num=1,
    web_num=1,
    worker_num=100,  # one for each part of the data
    # four processes in each
    worker_cpu=4,
    worker_mem="16g",
    min_worker_num=95,
)
