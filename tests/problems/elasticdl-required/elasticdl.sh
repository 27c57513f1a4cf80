elasticdl evaluate --job_name=judge --image_name=registry.example.com/mnist:1 \
  --training_data_dir=/data/train
