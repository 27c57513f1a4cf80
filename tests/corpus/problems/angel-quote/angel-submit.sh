angel-submit -Dangel.deploy.mode=KUBERNETES -Dml.note="it's open \
  -Dangel.ps.number=2
