from mars.deploy import kubernetes

def start(api, image):
    paths = ["/a"]
    for name in "bc":
        paths.append(f"/{name}")
    return kubernetes.new_cluster(api, image=image, worker_spill_paths=paths, extra_env={"A": f"{image!r}"})
