new_cluster(api, supervisor_num=1, scheduler_mem="2g", worker_num=2)
