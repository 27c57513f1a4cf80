# What Mars took without a word, or refused only when half of the cluster was there.
cluster = new_cluster(
    scheduler_num=0,
    worker_nun=4,
    worker_cpu="4",
    worker_mem="16gibberish",
    worker_spill_paths="/a",
    worker_cache_mem="lots",
    worker_min_cache_mem=0.2,
    min_worker_num=0,
    web_num=0,
    web_cpu=0.5,
    web_mem="50%",
    service_type="LoadBalancer",
    worker_num="4",
    scheduler_mem=-1,
    pre_stop_command="kill 1",
)
