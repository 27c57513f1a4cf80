new_cluster(api, image="marsproject/mars:v0.8.1", worker_num=2)
