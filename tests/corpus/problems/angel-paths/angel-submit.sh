# Paths with and without a scheme, on a volume and on none, and files of the submitter's machine.
angel-submit -Dangel.kubernetes.container.image=tencentangel/angel:v3.0.0 -Dangel.job.name=lr \
  -Dangel.kubernetes.master.volumes.emptyDir.scratch.mount.path=/scratch \
  -Dangel.kubernetes.executor.volumes.emptyDir.scratch.mount.path=/scratch \
  -Dangel.kubernetes.master.volumes.hostPath.data.mount.path=/data \
  -Dangel.kubernetes.master.volumes.hostPath.data.options.path=/mnt/data \
  -Dangel.kubernetes.executor.volumes.hostPath.data.mount.path=/data \
  -Dangel.kubernetes.executor.volumes.hostPath.data.options.path=/mnt/data \
  -Dangel.train.data.path=data/a9a \
  -Dangel.save.model.path=hdfs://namenode:8020/model \
  -Dangel.tmp.output.path.prefix=/tmp/angel \
  -Dangel.log.path=/scratch/log \
  -Dangel.load.model.path=file:/data/old \
  -Dangel.ml.conf=./lr.xml \
  -Dangel.job.libjars=/home/me/a.jar,/opt/angel/lib/b.jar
