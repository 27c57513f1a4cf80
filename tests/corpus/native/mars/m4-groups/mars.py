# Two clusters in one namespace, told apart by a label; a chart's releases are told apart by labels of its own.
GROUP = "test-label-name"

cluster = new_cluster(
    None,
    "marsproject/mars:v0.6.0",
    extra_labels={"mars-test/group": GROUP},
    extra_env={"MARS_K8S_GROUP_LABELS": "mars-test/group", "DEBUG": 1},
    worker_extra_labels={"tier": "compute"},
    log_when_fail=True,
)
cluster.rescale_workers(2)
cluster.rescale_workers(1)
