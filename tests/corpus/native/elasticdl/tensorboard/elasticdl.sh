# Events for TensorBoard, after every evaluation; the master of July 2019 served them itself, for ever.
elasticdl train --job_name=watched --model_def=model_zoo/mnist --training_data_dir=/data/mnist/train \
  --evaluation_data_dir=/data/mnist/test --evaluation_throttle_secs=60 --tensorboard_log_dir=/data/log/watched \
  --num_epochs=3 --minibatch_size=64 --records_per_task=100 --num_workers=2 --grads_to_wait=2 \
  --checkpoint_steps=100 --checkpoint_dir=/data/checkpoints --keep_checkpoint_max=5 \
  --checkpoint_filename_for_init=/data/checkpoints/model_v100.chkpt \
  --volume='claim_name=mnist,mount_path=/data' --image_name=registry.example.com/mnist:1
