# Predict with the last client, without parameter servers, and with its defaults.
elasticdl predict --image_name=registry.example.com/research/zoo:mnist --model_zoo=/model_zoo \
  --model_def=mnist.mnist.custom_model --job_name=guess --prediction_data=/data/new \
  --checkpoint_dir_for_init=/data/checkpoints --distribution_strategy=Local --use_go_ps=false
