import os

WORKERS = int(os.environ["WORKERS"])
IMAGE = "registry.example.com/mars"
cluster = new_cluster("registry.example.com/mars:1", worker_num=WORKERS, image=f"{IMAGE}:0.6",
                      worker_spill_paths=["/mnt/a", paths[0]], timeout=10 * minutes)
