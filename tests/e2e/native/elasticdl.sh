# A line of ElasticDL's client as people have them, with the image that the client would have built.
DATA=/data
python -m elasticdl.python.elasticdl.client train \
    --job_name=fit \
    --model_def=model_zoo/sums \
    --training_data_dir=${DATA}/train \
    --num_epochs=1 \
    --minibatch_size=1 \
    --records_per_task=1 \
    --num_workers=2 \
    --grads_to_wait=1 \
    --master_resource_request="cpu=50m,memory=64Mi" \
    --master_resource_limit="cpu=1,memory=128Mi" \
    --worker_resource_request="cpu=50m,memory=64Mi" \
    --worker_resource_limit="cpu=1,memory=128Mi" \
    --volume="volume_name=data-volume,mount_path=${DATA},claim_name=numbers" \
    --image_pull_policy=IfNotPresent \
    --image_name=local/python:1
