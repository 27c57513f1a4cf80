# As ElasticDL's own tests ran it: limits above requests, an image that is on the node already, flags apart from values.
elasticdl train --job_name test-mnist --model_def ./examples/mnist_functional_api --image_base elasticdl:ci \
  --image_name elasticdl:ci --image_pull_policy Never --training_data_dir /data/mnist/train \
  --evaluation_data_dir /data/mnist/test --num_epochs 1 --minibatch_size 64 --records_per_task 100 --num_workers 1 \
  --evaluation_steps 15 --grads_to_wait 1 \
  --master_resource_request cpu=400m,memory=1024Mi --master_resource_limit cpu=1,memory=2048Mi \
  --worker_resource_request cpu=400m,memory=2048Mi --worker_resource_limit cpu=1,memory=3072Mi
