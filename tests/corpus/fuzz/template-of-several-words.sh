angel-submit jar /opt/fm.jar \
  -Dangel.job.name=fm \
  -Dangel.kubernetes.batch.s{{<% if x %> .Values }}ize=10
