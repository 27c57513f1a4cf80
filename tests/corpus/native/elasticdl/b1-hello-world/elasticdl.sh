# The first job of ElasticDL's manual for Google's cloud: two workers, the data on one claim.
PROJECT_ID=research
MNIST_DATA_DIR=/data/mnist_nfs/mnist
python -m elasticdl.python.elasticdl.client train \
    --job_name=hello-world \
    --model_def=elasticdl/python/examples/mnist_subclass \
    --training_data_dir=${MNIST_DATA_DIR}/train \
    --evaluation_data_dir=${MNIST_DATA_DIR}/test \
    --num_epochs=1 \
    --minibatch_size=10 \
    --records_per_task=100 \
    --num_workers=2 \
    --checkpoint_steps=2 \
    --grads_to_wait=2 \
    --volume="volume_name=data-volume,mount_path=/data,claim_name=fileserver-claim" \
    --log_level=INFO \
    --docker_image_prefix=registry.example.com/${PROJECT_ID} \
    --image_name=registry.example.com/${PROJECT_ID}/elasticdl:hello-world
