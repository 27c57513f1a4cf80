elasticdl train --job_name=strings --model_def=zoo/mnist --training_data_dir=/data --num_epochs=1 --num_workers=2 \
  --records_per_task=100 --minibatch_size=64 --grads_to_wait=2 --image_name=registry.example.com/mnist:1 \
  --master_resource_request="cpu=0,memory=1024,cpu=1" \
  --master_resource_limit='cpu 1;memory=1.5Gi' \
  --worker_resource_request="memory=100K,disk=10Gi,tpu=1,gpu=1,nvidia.com/gpu=2" \
  --volume="claim_name=a,mount_path=data,readonly=true;mount_path=/b;claim_name=c,host_path=/c,mount_path=/c" \
  --envs="URL=http://h/p?q=1,B=2"
elasticdl train --job_name=read-as-meant --model_def=zoo/mnist --training_data_dir=/data --num_epochs=1 --num_workers=2 \
  --records_per_task=100 --minibatch_size=64 --grads_to_wait=2 --image_name=registry.example.com/mnist:1 \
  --worker_resource_request="cpu=1, disk=10Gi" \
  --envs="A=1,URL=http://h/p?q=1"
elasticdl train --job_name=two-of-one --model_def=zoo/mnist --training_data_dir=/data --num_epochs=1 --num_workers=2 \
  --records_per_task=100 --minibatch_size=64 --grads_to_wait=2 --image_name=registry.example.com/mnist:1 \
  --worker_resource_request="gpu=1,nvidia.com/gpu=2" \
  --volume="mount_path=/b;claim_name=c,host_path=/c,mount_path=/c"
