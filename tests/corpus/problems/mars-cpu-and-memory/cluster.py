new_cluster(worker_num=2, worker_cpu=4, web_mem="1g")
