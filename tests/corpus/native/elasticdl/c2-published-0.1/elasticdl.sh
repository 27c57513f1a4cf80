# As the published 0.1.0rc0 is started: its client built the image from the model zoo.
elasticdl train --docker_image_repository=registry.example.com/research --image_base=tensorflow/tensorflow:2.0.0 \
  --model_zoo=./examples/zoo/ --model_def=mnist.mnist.custom_model --job_name=mnist-zoo \
  --training_data=/data/train --evaluation_data=/data/test --dataset_fn=read \
  --minibatch_size=32 --records_per_task=100 --num_workers=2 --volume=claim_name=mnist,mount_path=/data
