{{/* What it adds to the replicas of web. */}}
{{- define "cluster.role.web" -}}
{{- $requests := include "cluster.requests" .spec | fromJson -}}
{{- $cpu := include "cluster.requested" (dict "spec" .spec "resource" "cpu" "least" 1) -}}
{{- $peers := include "cluster.name" (merge (dict "name" "peers") .) -}}
command: [python, "-m"]
labels: {mars/service-type: marsweb}
env:
  - {name: MARS_CONTAINER_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
  - {name: CHARTGEN_SCHEDULERS, valueFrom: {configMapKeyRef: {name: {{ $peers }}, key: schedulers}}}
  {{- if hasKey $requests "cpu" }}
  - {name: MKL_NUM_THREADS, value: {{ $cpu | quote }}}
  - {name: MARS_CPU_TOTAL, value: {{ $cpu | quote }}}
  - {name: MARS_CPU_USE_PROCESS_STAT, value: "1"}
  {{- end }}
  {{- if hasKey $requests "memory" }}
  - name: MARS_MEMORY_TOTAL
    value: {{ include "cluster.requested"
      (dict "spec" .spec "resource" "memory" "least" 1) | quote }}
  - {name: MARS_MEM_USE_PROCESS_STAT, value: "1"}
  {{- end }}
args:
  - mars.web
  - "-p"
  - {{ int .spec.port | quote }}
  - "-a"
  - "$(MARS_CONTAINER_IP)"
  - "-s"
  - "$(CHARTGEN_SCHEDULERS)"
fields:
  readinessProbe:
    tcpSocket: {port: {{ int .spec.port }}}
    initialDelaySeconds: 5
    periodSeconds: 5
    timeoutSeconds: 60
    failureThreshold: 10
waits:
  - name: wait-schedulers
    env:
      - {name: HOSTS, valueFrom: {configMapKeyRef: {name: {{ $peers }}, key: hosts}}}
{{- end -}}
