angel-submit -Dangel.deploy.mode=KUBERNETES -Dangel.kubernetes.container.image=tencentangel/angel:v3.0.0 \
  -Dangel.kubernetes.master.volumes.hostpath.data.mount.path=/data \
  -Dangel.kubernetes.master.volumes.nfs.data.mount.path=/data \
  -Dangel.kubernetes.master.volumes.hostPath.Data_1.mount.path=/data \
  -Dangel.kubernetes.master.volumes.hostPath.data.mount.path=data \
  -Dangel.kubernetes.master.volumes.hostPath.data.options.type=Directory \
  -Dangel.kubernetes.executor.volumes.persistentVolumeClaim.data.options.claimName=angel-data \
  -Dangel.kubernetes.executor.volumes.emptyDir.tmp.mount.path=/tmp/angel \
  -Dangel.kubernetes.executor.volumes.emptyDir.tmp.mount.readOnly=no \
  -Dangel.kubernetes.executor.volumes.emptyDir.tmp.options.size=1Gi
angel-submit -Dangel.deploy.mode=KUBERNETES -Dangel.kubernetes.container.image='tencentangel/angel v3.0.0' \
  -Dangel.train.data.path=hdfs://namenode/a -Dangel.save.model.path= \
  -Dangel.kubernetes.master.volumes.hostPath.my.data.mount.path=/data \
  -Dangel.kubernetes.master.volumes.hostPath.my.data.options.path=/data \
  -Dangel.kubernetes.masterEnv.1ST=x -Dangel.kubernetes.master.label.a/b/c=x -Dangel.kubernetes.executor.annotation.=x \
  -Dangel.kubernetes.executor.secrets.Key_Tab=/x -Dangel.kubernetes.executor.secretKeyRef.A=b:c
