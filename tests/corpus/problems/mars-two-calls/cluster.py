from mars.deploy.kubernetes import new_cluster

small = new_cluster(worker_num=2)
large = new_cluster(worker_num=200)
