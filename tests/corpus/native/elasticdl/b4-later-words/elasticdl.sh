# In the words of a later client: other names of flags, two volumes, variables, all of which 0.2.0rc3 can give to its
# workers.
elasticdl train --image_name=registry.example.com/research/elasticdl:mnist --model_zoo=model_zoo \
  --model_def=mnist.mnist.CustomModel --training_data=/data/mnist/train --validation_data=/data/mnist/test \
  --num_epochs=2 --minibatch_size=64 --num_minibatches_per_task=2 --num_workers=4 --grads_to_wait=4 \
  --master_resource_request="cpu=0.2,memory=1024Mi" --worker_resource_request="cpu=2, memory=2048Mi, gpu=1" \
  --master_pod_priority=high --worker_pod_priority=low --namespace=training --restart_policy=OnFailure \
  --volume="host_path=/mnt/data,type=Directory,mount_path=/data;claim_name=out,mount_path=/out,sub_path=mnist" \
  --envs="LC_ALL=C.UTF-8,PATHS=/a,/b" --job_name=mnist-later --docker_base_url=unix://var/run/docker.sock
