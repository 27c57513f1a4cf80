elasticdl train --job_name=flags --model_def=zoo/mnist --training_data_dir=/data --num_epochs=1 --num_workers=2 \
  --grads_to_wait=2 --image_name=registry.example.com/mnist:1 --records_per_task=100 \
  --minibatch_sise=64 \
  --checkpoint=5 \
  --minib=64 \
  -volume=claim_name=a,mount_path=/data \
  --num_workers=3 leftover \
  --namespace --log_level=INFO
