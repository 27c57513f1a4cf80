#!/bin/bash
# Nightly training for the search team.
set -e
cd /home/search/jobs
MODEL=ctr-fm PS=3
export DATA=/mnt/angel

HADOOP_USER_NAME=search JAVA_HOME=/usr/lib/jvm/8 nohup "$ANGEL_HOME/bin/angel-submit" \
  -Dangel.deploy.mode=KUBERNETES -Dangel.kubernetes.master=https://10.0.0.1:6443 \
  --angel.app.submit.class com.tencent.angel.ml.core.graphsubmit.GraphRunner \
  action.type:train \
  "-Dangel.job.name=Search CTR ${MODEL}" \
  -Dangel.kubernetes.container.image=registry.example.com/search/angel:v3.0.1-2 \
  -Dangel.kubernetes.container.image.pullPolicy=Always \
  -Dangel.kubernetes.namespace=search \
  -Dangel.kubernetes.master.volumes.persistentVolumeClaim.data.mount.path=$DATA \
  -Dangel.kubernetes.master.volumes.persistentVolumeClaim.data.options.claimName=angel-data \
  -Dangel.kubernetes.executor.volumes.persistentVolumeClaim.data.mount.path=$DATA \
  -Dangel.kubernetes.executor.volumes.persistentVolumeClaim.data.mount.readOnly=true \
  -Dangel.kubernetes.executor.volumes.persistentVolumeClaim.data.options.claimName=angel-data \
  -Dangel.kubernetes.executor.volumes.emptyDir.scratch.mount.path=/scratch \
  -Dangel.kubernetes.executor.volumes.emptyDir.scratch.options.medium=Memory \
  -Dangel.kubernetes.executor.volumes.emptyDir.scratch.options.sizeLimit=512Mi \
  -Dangel.kubernetes.executor.secrets.hdfs-keytab=/etc/keytab \
  -Dangel.kubernetes.master.secretKeyRef.DB_PASSWORD=db:password \
  -Dangel.kubernetes.masterEnv._JAVA_OPTIONS='-Xms1536m -Xmx1536m' \
  -Dangel.kubernetes.executorEnv._JAVA_OPTIONS='-Xms1536m -Xmx1536m' \
  -Dangel.kubernetes.executorEnv.OMP_NUM_THREADS=2 \
  -Dangel.kubernetes.master.label.team=search -Dangel.kubernetes.executor.label.team=search \
  -Dangel.kubernetes.executor.annotation.example.com/cost-center=4711 \
  -Dangel.kubernetes.master.port=9100 \
  -Dangel.ps.number=${PS} -Dangel.ps.memory.gb=4 -Dangel.ps.cpu.vcores=2 -Dangel.kubernetes.ps.limit.cores=2500m \
  -Dangel.workergroup.number=4 -Dangel.worker.memory.mb=3500 -Dangel.worker.task.number=2 \
  -Dangel.train.data.path=file://$DATA/train \
  -Dangel.save.model.path=file://$DATA/model \
  -Dangel.log.path=file://$DATA/log \
  -Dangel.tmp.output.path.prefix=$DATA/tmp \
  -Dml.learn.rate=1e-3 > train.log 2>&1 &
