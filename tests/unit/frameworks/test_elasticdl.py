"""ElasticDL: the total resources of its jobs."""

from chartgen import pipeline

JOB = """\
name: mnist
framework: elasticdl
image: registry.example.com/mnist:1
volumes: [{name: data, persistentVolumeClaim: {claimName: mnist}}]
volumeMounts: [{name: data, mountPath: /data}]
roles:
  master: {resources: {limits: {cpu: 1, memory: 1Gi}}}
  worker: {replicas: 2, resources: {limits: {cpu: 3, memory: 4Gi}}}
elasticdl:
  params:
    model_def: /model_zoo/mnist
    training_data_dir: /data/train
    records_per_task: 100
    minibatch_size: 64
    loss: my_loss
    log_level: DEBUG
"""
NATIVE = JOB.replace("elasticdl:\n", "elasticdl:\n  expansion: native\n")


def test_the_total_counts_the_workers_that_the_master_creates() -> None:
    for text in (f"{JOB}cleanup: none\n", NATIVE):
        checked = pipeline.check(pipeline.read(text.encode(), "job.yaml")[0])
        assert "3 pods, 7 CPUs, 9 GiB memory" in pipeline.render(checked)["README.md"]
