new_cluster(api, image="marsproject/mars:v0.8.1", worker_num=2, web_service_port=80)
