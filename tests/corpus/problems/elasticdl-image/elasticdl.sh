# The client built an image; who reads the line has to be told of one.
elasticdl train --job_name=hello-world --model_def=elasticdl/python/examples/mnist_subclass --training_data_dir=/data \
  --num_epochs=1 --num_workers=2 --records_per_task=100 --minibatch_size=64 --grads_to_wait=2 \
  --docker_image_prefix=registry.example.com/research --image_base=tensorflow/tensorflow:2.0.0b1-py3
