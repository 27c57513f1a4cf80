new_cluster(api, supervisor_num=1, worker_num=2)
