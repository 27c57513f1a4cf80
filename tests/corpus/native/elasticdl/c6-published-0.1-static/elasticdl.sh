# For 0.1.0rc0 with a part of a claim, which its master cannot mount in the workers it creates: they are Jobs.
elasticdl train --docker_image_repository=registry.example.com/research --image_base=tensorflow/tensorflow:2.0.0 \
  --model_zoo=./examples/zoo/ --model_def=mnist.mnist.custom_model --job_name=mnist-static \
  --training_data=/data/train --evaluation_data=/data/test --num_minibatches_per_task=4 \
  --minibatch_size=32 --num_workers=2 --volume=claim_name=mnist,mount_path=/data,sub_path=digits
