elasticdl train --job_name={{ name }} --model_def=zoo/mnist --training_data_dir=/data \
  --num_epochs=1 --num_workers=2 --records_per_task=100 --minibatch_size=64 --grads_to_wait=2
