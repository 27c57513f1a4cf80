# Spark on Angel: Spark starts the parameter servers.
$SPARK_HOME/bin/spark-submit --master k8s://https://10.0.0.1:6443 --conf spark.ps.mode=KUBERNETES \
  --conf spark.ps.instances=10 --conf spark.ps.cores=2 --conf spark.ps.memory=6g --class com.example.Job job.jar
