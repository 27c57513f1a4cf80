# Copied from a web page: a blank after a backslash, no-break spaces, and arguments as people type them.
angel-submit \ 
  --action.type=train \
  -- angel.job.name page_rank \
  -Dangel.ps.number 2 \
  -D angel.ps.memory.gb=4 \
  -Dangel.deploy.mode=YARN \
  -Dangel.kubernetes.container.image=registry.example.com/angel-hadoop:3.0.1 \
  --angel.train.data.path=hdfs://namenode:8020/graph \
  --angel.save.model.path=hdfs://namenode:8020/ranks
