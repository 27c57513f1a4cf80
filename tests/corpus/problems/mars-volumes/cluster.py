new_cluster(
    extra_volumes=["/data", EmptyDirVolumeConfig("Scratch Space", "/scratch")],
    worker_spill_paths=[HostPathVolumeConfig("disk", "/mnt/disk"), "tmp", EmptyDirVolumeConfig("a", "/b", medium="Memory")],
    extra_modules="team.io, team.base",
    extra_env={"1A": "x", "B": None},
)
