elasticdl train --image_name=registry.example.com/zoo:1 --model_zoo=zoo --model_def=mnist.mnist.model --job_name=later \
  --training_data_dir=/data/train --num_ps_pods=many --worker_pod_priority=high=0.5 --use_go_ps=perhaps \
  --tensorboard_log_dir=/data/log --num_minibatches=3 --checkpoint_filename_for_init=a
elasticdl evaluate --image_name=registry.example.com/zoo:1 --model_zoo=zoo --model_def=mnist.mnist.model --job_name=checked \
  --validation_data=/data/test --checkpoint_dir_for_init=/data/checkpoints --num_epochs=2 --use_go_ps=true
