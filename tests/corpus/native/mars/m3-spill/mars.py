# Directories of the machines and a volume for what does not fit into memory, a cache by percent, and modules.
new_cluster(
    scheduler_cpu=2,
    scheduler_mem="10g",
    scheduler_extra_modules=["mars.test_mod"],
    scheduler_extra_env={"TEST_ENV": "test_val"},
    worker_num=4,
    worker_cpu=2,
    worker_mem=10 * 1024**3,
    worker_spill_paths=["/tmp/spill_vol", EmptyDirVolumeConfig("empty-dir", "/tmp/empty")],
    worker_cache_mem="20%",
    worker_min_cache_mem="10%",
    worker_extra_modules="mars.test_mod",
)
