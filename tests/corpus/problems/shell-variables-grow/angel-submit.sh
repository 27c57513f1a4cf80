A=0123456789
A=$A$A$A$A$A$A$A$A$A$A
A=$A$A$A$A$A$A$A$A$A$A
A=$A$A$A$A$A$A$A$A$A$A
A=$A$A$A$A$A$A$A$A$A$A
A=$A$A$A$A$A$A$A$A$A$A
A=$A$A$A$A$A$A$A$A$A$A
angel-submit -Dangel.job.name=$A
