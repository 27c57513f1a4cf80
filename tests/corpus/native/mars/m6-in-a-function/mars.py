from kubernetes import config
from mars.deploy.kubernetes import new_cluster

REGISTRY = "registry.example.com"


def start():
    version = "0.6.0"
    directories = ["/mnt/first"]
    directories.append("/mnt/second")
    client = config.new_client_from_config()
    # A call in a function: its own names, a list that is appended to, f-strings, and half a CPU.
    return new_cluster(
        client,
        image=f"{REGISTRY}/mars:v{version}",
        worker_num=3,
        worker_cpu=1.5,
        worker_mem="8g",
        scheduler_cpu=0.5,
        scheduler_mem="2g",
        worker_spill_paths=directories,
    )
