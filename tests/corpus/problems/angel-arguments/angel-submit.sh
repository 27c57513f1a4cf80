angel-submit \
  -Dangel.deploy.mode=KUBERNETES -Dangel.kubernetes.container.image=tencentangel/angel:v3.0.0 \
  --conf angel.kubernetes.master.label.team=ads \
  --conf angel.ps.number \
  -Dangel.ps.number \
  -D angel.workergroup.number=2 \
  -D=5 \
  --angel.job.name=lr ignored \
  path=hdfs://namenode/data \
  ml.epoch.num=5 \
  hdfs://namenode/data \
  train \
  -- \
  -Dml.epoch.num=5 \
  -Dml.epoch.num=6 \
  --angel.job.name
