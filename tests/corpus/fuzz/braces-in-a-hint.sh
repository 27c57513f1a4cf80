elasticdl train --model_zoo='zoo{x}' --model_def=m.f --training_data=/d --num_workers=2 --job_name=j
