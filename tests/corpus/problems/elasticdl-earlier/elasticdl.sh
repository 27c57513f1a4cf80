# In the words of clients before July 2019.
python elasticdl/python/elasticdl/client/client.py train --job_name=early --model_file=/x/mnist.py \
  --training_data_dir=/data --num_epochs=1 --minibatch_size=10 --minibatches_per_task=5 --num_workers=2 \
  --grads_to_wait=2 --codec_type=tf_example --volume_name=mnist --mount_path=/data --push_image \
  --master_cpu_request=1000m --master_memory_request=1024Mi --worker_cpu_request=2 --worker_memory_request=4096Mi \
  --docker_image_prefix=registry.example.com/research
