# Data and model in HDFS: the image has a Hadoop client, and its own jar with the model.
angel-submit jar /opt/jobs/fm.jar \
  -Dangel.deploy.mode=KUBERNETES \
  -Dangel.kubernetes.container.image=registry.example.com/angel-hadoop:3.1.0 \
  -Dangel.kubernetes.master.extraClassPath=/opt/hadoop/share/hadoop/hdfs/*:/opt/hadoop/share/hadoop/common/* \
  -Dangel.kubernetes.executor.extraClassPath=/opt/hadoop/share/hadoop/hdfs/* \
  -Dangel.kubernetes.allocation.batch.size=10 \
  -Dangel.job.name=fm \
  -Dangel.train.data.path=hdfs://namenode:8020/data/train \
  -Dangel.save.model.path='hdfs://namenode:8020/models/${MODEL_DATE}' \
  -Dfs.defaultFS=hdfs://namenode:8020  # as in core-site.xml
