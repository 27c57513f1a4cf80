new_cluster(extra_labels={"team": "vision", "mars/service-type": "worker"}, worker_extra_labels={"tier": 1})
