"""All that a call can say, in one that reads its numbers from names."""

WORKERS = 8
GIGABYTE = 1024**3


def main(api):
    with new_cluster(
        api,
        image="registry.example.com/mars:0.6.4",
        namespace="research",
        scheduler_num=2,
        scheduler_cpu=1,
        scheduler_mem=2 * GIGABYTE,
        scheduler_mem_limit_ratio=2,
        worker_num=WORKERS,
        worker_cpu=4,
        worker_mem="7.5 GB",
        worker_mem_limit_ratio=1.5,
        worker_cache_mem=GIGABYTE,
        worker_min_cache_mem="512m",
        worker_spill_paths=[HostPathVolumeConfig("disk", "/mnt/disk", "/data/disk", volume_type="Directory")],
        min_worker_num=WORKERS // 2,
        web_num=2,
        web_cpu=None,
        service_type="NodePort",
        timeout=90.5,
        service_port=11111,
        web_service_port=8080,
        extra_volumes=[EmptyDirVolumeConfig("scratch", mount_path="/scratch", use_memory=True)],
        extra_modules=["team.io", "team.base"],
        worker_extra_modules="team.gpu",
        extra_env={"LC_ALL": "C.UTF-8", "VERBOSE": True},
        worker_extra_env={"VERBOSE": False},
        extra_labels={"team": "vision"},
        pre_stop_command=["/bin/sh", "-c", "kill -INT $(cat /tmp/mars-service.pid)"],
    ) as cluster:
        return cluster.endpoint
