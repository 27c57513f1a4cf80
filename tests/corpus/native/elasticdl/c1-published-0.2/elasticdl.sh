# As the published 0.2.0rc3 is started: parameter servers, two volumes, variables with blanks around the comma.
elasticdl train --image_name=registry.example.com/research/zoo:mnist --model_zoo=./model_zoo \
  --model_def=mnist.mnist_functional_api.custom_model --job_name=mnist-ps \
  --training_data=/data/mnist/train --validation_data=/data/mnist/test \
  --minibatch_size=64 --num_minibatches_per_task=2 --num_epochs=2 --evaluation_steps=50 \
  --num_ps_pods=2 --num_workers=3 --distribution_strategy=ParameterServerStrategy --use_go_ps=true \
  --ps_resource_request="cpu=1,memory=2048Mi" --worker_resource_request="cpu=2,memory=2048Mi" \
  --ps_pod_priority=high --worker_pod_priority=low --output=/out/model --envs="LC_ALL=C.UTF-8 , DIRS=/a,/b" \
  --volume="host_path=/mnt/data,type=Directory,mount_path=/data;claim_name=out,mount_path=/out,sub_path=mnist"
