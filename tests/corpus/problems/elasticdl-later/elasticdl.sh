# A share of the workers, which only later clients know, in a line of July 2019.
elasticdl train --job_name=share --model_def=zoo/mnist --training_data_dir=/data \
  --num_epochs=1 --num_workers=2 --records_per_task=100 --minibatch_size=64 --grads_to_wait=2 \
  --image_name=registry.example.com/mnist:1 --worker_pod_priority=0.5
