# An angel-submit command line as people have them: logistic regression by two parameter servers and two workers, on data that all pods have
# under a path of the node. Java is told to leave some of the pods' memory, all of which Angel would give to its heap.
export ANGEL_HOME=/opt/angel
$ANGEL_HOME/bin/angel-submit \
  -Dangel.deploy.mode=KUBERNETES \
  -Dangel.kubernetes.master=https://kubernetes.default.svc \
  -Dangel.app.submit.class=com.tencent.angel.ml.core.graphsubmit.GraphRunner \
  -Daction.type=train \
  -Dangel.kubernetes.container.image=local/angel:1 \
  -Dangel.kubernetes.masterEnv._JAVA_OPTIONS="-Xms256m -Xmx512m" \
  -Dangel.kubernetes.executorEnv._JAVA_OPTIONS="-Xms256m -Xmx512m" \
  -Dangel.kubernetes.master.volumes.hostPath.test.mount.path=/angel/mountpath \
  -Dangel.kubernetes.master.volumes.hostPath.test.options.path=${DATA} \
  -Dangel.kubernetes.executor.volumes.hostPath.test.mount.path=/angel/mountpath \
  -Dangel.kubernetes.executor.volumes.hostPath.test.options.path=${DATA} \
  -Dangel.kubernetes.namespace=angel-group \
  -Dangel.kubernetes.serviceaccount=angel \
  -Dangel.ps.number=2 \
  -Dangel.ps.memory.gb=1 \
  -Dangel.am.memory.gb=1 \
  -Dangel.workergroup.number=2 \
  -Dangel.worker.memory.gb=1 \
  -Dangel.train.data.path=file:///angel/mountpath/data \
  -Dangel.save.model.path=file:///angel/mountpath/model \
  -Dangel.tmp.output.path.prefix=/angel/mountpath/tmp \
  -Dangel.output.path.deleteonexist=true \
  -Dangel.log.path=file:///angel/mountpath/angel_log \
  -Dangel.job.name=angel_lr_test \
  -Dml.epoch.num=2 \
  -Dml.model.class.name=com.tencent.angel.ml.classification.LogisticRegression \
  -Dml.feature.index.range=123 \
  -Dml.model.size=123 \
  -Dml.data.validate.ratio=0.1 \
  -Dml.data.type=libsvm \
  -Dml.learn.rate=0.01 \
  -Dml.reg.l2=0.03 \
  -Dml.inputlayer.optimizer=ftrl
