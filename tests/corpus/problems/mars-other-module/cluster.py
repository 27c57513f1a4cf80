from mars.deploy.ray import new_cluster

new_cluster(worker_num=2)
