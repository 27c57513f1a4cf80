elasticdl train --job_name=dotted --model_def=mnist.mnist_functional_api.custom_model --training_data_dir=/data \
  --num_epochs=1 --num_workers=2 --records_per_task=100 --minibatch_size=64 --grads_to_wait=2 \
  --image_name=registry.example.com/mnist:1
elasticdl train --job_name=slashed --model_def=zoo/mnist/ --training_data_dir=/data --tensorboard_log_dir=/log \
  --num_epochs=1 --num_workers=2 --records_per_task=100 --minibatch_size=64 --grads_to_wait=2 \
  --image_name=registry.example.com/mnist:1 --volume=claim_name=data,mount_path=/data
