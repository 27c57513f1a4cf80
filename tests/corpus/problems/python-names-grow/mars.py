a = [a, a]
new_cluster(worker_num=a, image='mars:1')
