nohup angel-submit -Dangel.deploy.mode=KUBERNETES -Dangel.job.name=a -Dangel.kubernetes.container.image=a:1
ls # a comment
