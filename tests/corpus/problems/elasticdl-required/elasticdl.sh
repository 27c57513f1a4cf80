elasticdl evaluate --job_name=judge --image_name=registry.example.com/mnist:1 \
  --training_data_dir=/data/train
elasticdl train --job_name=volume --model_def=zoo/mnist --training_data_dir=/data --num_epochs=1 --num_workers=2 \
  --records_per_task=100 --num_minibatches_per_task=4 --minibatch_size=64 --grads_to_wait=2 \
  --image_name=registry.example.com/mnist:1 --volume="claim_name=a"
elasticdl train --job_name=tasks --model_def=zoo/mnist --training_data_dir=/data --num_epochs=1 --num_workers=2 \
  --num_minibatches_per_task=0 --minibatch_size=64 --grads_to_wait=2 --image_name=registry.example.com/mnist:1
elasticdl train --job_name=image --training_data_dir=/data --num_epochs=1 --num_workers=2 --records_per_task=100 \
  --minibatch_size=64 --grads_to_wait=2
