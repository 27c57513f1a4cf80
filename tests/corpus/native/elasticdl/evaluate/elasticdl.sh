# A checkpoint is evaluated by three workers.
$ PYTHONPATH=. /opt/venv/bin/elasticdl evaluate --job_name=judge --model_def=model_zoo/mnist/ --records_per_task=100 \
>   --minibatch_size=64 --evaluation_data_dir=/data/mnist/test --num_workers=3 \
>   --checkpoint_filename_for_init=/data/checkpoints/model_v100.chkpt --eval_metrics_fn=metrics \
>   --volume='claim_name=mnist,mount_path=/data' --image_name=registry.example.com/mnist:1
