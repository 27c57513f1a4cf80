options = {"worker_num": 2}
cluster = new_cluster(*clients, worker_num=3, worker_num=4, extra_env={"A": 1, "A": 2, 3: 4}, **options)
