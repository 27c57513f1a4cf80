# As the tutorial of the last ElasticDL has it, with parameter servers.
elasticdl train --image_name=elasticdl:mnist --model_zoo=model_zoo \
  --model_def=mnist.mnist_functional_api.custom_model \
  --training_data=/data/mnist/train --validation_data=/data/mnist/test \
  --num_epochs=2 --minibatch_size=64 --num_minibatches_per_task=2 --grads_to_wait=1 \
  --num_ps_pods=2 --num_workers=4 --evaluation_steps=50 --job_name=test-mnist \
  --distribution_strategy=ParameterServerStrategy \
  --master_resource_request="cpu=0.2,memory=1024Mi" --ps_resource_request="cpu=1,memory=2048Mi" \
  --worker_resource_request="cpu=2,memory=2048Mi" --ps_pod_priority=high \
  --master_pod_priority=high --worker_pod_priority=0.5 \
  --volume="host_path=/data,mount_path=/data"
