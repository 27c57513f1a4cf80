elasticdl train --job_name=hello-world --model_def=zoo/mnist --training_data_dir=${MNIST_DATA_DIR}/train \
  --num_epochs=1 --num_workers=2 --records_per_task=100 --minibatch_size=64 --grads_to_wait=2 \
  --image_name=gcr.io/${PROJECT_ID}/mnist:1
