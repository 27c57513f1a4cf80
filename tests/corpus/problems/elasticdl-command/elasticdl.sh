elasticdl predict --job_name=guess --model_def=zoo/mnist --prediction_data_dir=/data
