# All of this is taken by Angel without a word.
angel-submit -Dangel.deploy.mode=KUBERNETES -Dangel.kubernetes.container.image=tencentangel/angel:v3.2.0 \
  -Dangel.job.name=lr -Daction.type=predict \
  -Dangel.predict.data.path=file:///data/test -Dangel.predict.out.path='file:///data/${TODAY}' \
  -Dangel.workergroup.number=2 -Dangel.worker.memory.mb=1500 -Dangel.ps.memory.gb=2 -Dangel.ps.memory.mb=9000 \
  -Dangel.listen.port.range=30000,20000 -Dangel.ps.numbre=2 -Dangel.kubernetes.app.id=application_1_0001
