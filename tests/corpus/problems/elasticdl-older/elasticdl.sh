elasticdl evaluate --docker_image_prefix=registry.example.com/research --model_zoo=zoo \
  --model_def=mnist.mnist.model --job_name=judge --validation_data=/data/test --checkpoint_filename_for_init=/c
