# Nothing of this is run: a command line is read as it stands.
if [ -n "$1" ]; then
  angel-submit -Dangel.job.name=a
fi
angel-submit -Dangel.job.name=$JOB -Dangel.log.path="$(pwd)/log" -Dml.epoch.num=${EPOCHS:-5} -Dmodel=${MODEL%.*} \
  -Dangel.deploy.mode=KUBERNETES

  -Dangel.kubernetes.container.image=tencentangel/angel:v3.0.0 \ 
  -Dangel.ps.number=$#
