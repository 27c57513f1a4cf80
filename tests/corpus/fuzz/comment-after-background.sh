# first
nohup angel-submit -Dangel.deploy.mode=KUBERNETES -Dangel.job.name=a \
 -Dangel.kubernetes.container.image=a:1 > log 2>&1 & # a comment
