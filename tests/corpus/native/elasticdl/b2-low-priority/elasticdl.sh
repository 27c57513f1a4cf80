# A job whose workers have a low priority; its master is never preempted.
MNIST_DATA_DIR=/data/mnist_nfs/mnist
python -m elasticdl.python.elasticdl.client train \
    --job_name=low-prio-job \
    --model_def=elasticdl/python/examples/mnist_subclass \
    --training_data_dir=${MNIST_DATA_DIR}/train \
    --evaluation_data_dir=${MNIST_DATA_DIR}/test \
    --master_pod_priority=high-priority \
    --worker_pod_priority=low-priority \
    --num_epochs=1 \
    --minibatch_size=10 \
    --records_per_task=100 \
    --num_workers=2 \
    --checkpoint_steps=2 \
    --master_resource_request="cpu=1,memory=1024Mi" \
    --master_resource_limit="cpu=1,memory=1024Mi" \
    --worker_resource_request="cpu=3,memory=4096Mi" \
    --worker_resource_limit="cpu=3,memory=4096Mi" \
    --grads_to_wait=2 \
    --volume="volume_name=data-volume,mount_path=/data,claim_name=fileserver-claim" \
    --log_level=INFO \
    --docker_image_prefix=registry.example.com/research \
    --image_name=registry.example.com/research/elasticdl:prio
