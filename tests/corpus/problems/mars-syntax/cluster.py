cluster = new_cluster(worker_num=2, extra_env={"A": "1")
