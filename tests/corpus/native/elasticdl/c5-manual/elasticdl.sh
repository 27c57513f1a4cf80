# The structure of the manual's own command, with its variables given in the script.
PROJECT_ID=research
MNIST_DATA_DIR=/data/mnist
python -m elasticdl.python.elasticdl.client train \
    --job_name=first-job \
    --model_def=elasticdl/python/examples/mnist_subclass \
    --training_data_dir=${MNIST_DATA_DIR}/train \
    --evaluation_data_dir=${MNIST_DATA_DIR}/test \
    --num_epochs=1 \
    --minibatch_size=10 \
    --records_per_task=100 \
    --num_workers=2 \
    --checkpoint_steps=2 \
    --grads_to_wait=2 \
    --volume="volume_name=data,mount_path=/data,claim_name=files" \
    --log_level=INFO \
    --docker_image_prefix=gcr.io/${PROJECT_ID}
