{{/* What it adds to the replicas of scheduler. */}}
{{- define "analysis.role.scheduler" -}}
{{- $mars := .root.Values.mars | default dict -}}
{{- $requests := include "analysis.requests" .spec | fromJson -}}
{{- $api := eq (toString $mars.discovery) "api" -}}
{{- $endpoints := eq (toString $mars.discovery) "endpoints" -}}
{{- $cpu := include "analysis.requested" (dict "spec" .spec "resource" "cpu" "least" 1) -}}
command: [python, "-m"]
labels: {mars/service-type: marsscheduler}
env:
  {{- if $api }}
  - {name: MARS_K8S_POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
  - {name: MARS_K8S_POD_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
  - {name: MARS_K8S_POD_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
  - {name: MARS_K8S_SERVICE_PORT, value: {{ int .spec.port | quote }}}
  - {name: MARS_K8S_GROUP_LABELS, value: "app.kubernetes.io/instance,chartgen/runtime-id"}
  - {name: MARS_CONTAINER_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
  {{- end }}
  {{- if $endpoints }}
  - name: CHARTGEN_SCHEDULERS
    valueFrom:
      configMapKeyRef:
        name: {{ include "analysis.name" (merge (dict "name" "peers") .) }}
        key: schedulers
  {{- end }}
  {{- if hasKey $requests "cpu" }}
  - {name: MKL_NUM_THREADS, value: {{ $cpu | quote }}}
  - {name: MARS_CPU_TOTAL, value: {{ $cpu | quote }}}
  - {name: MARS_CPU_USE_PROCESS_STAT, value: "1"}
  {{- end }}
  {{- if hasKey $requests "memory" }}
  - name: MARS_MEMORY_TOTAL
    value: {{ include "analysis.requested"
      (dict "spec" .spec "resource" "memory" "least" 1) | quote }}
  - {name: MARS_MEM_USE_PROCESS_STAT, value: "1"}
  {{- end }}
args:
  - {{ ternary "mars.deploy.kubernetes.scheduler" "mars.scheduler" $api }}
  - "-p"
  - {{ int .spec.port | quote }}
  {{- if $endpoints }}
  - "-a"
  {{- with include "analysis.replicaName" (merge (dict "role" "scheduler") .) }}
  - {{ toJson (toString .) }}
  {{- end }}
  - "-s"
  - "$(CHARTGEN_SCHEDULERS)"
  {{- end }}
fields:
  readinessProbe:
    tcpSocket: {port: {{ int .spec.port }}}
    initialDelaySeconds: 5
    periodSeconds: 5
    timeoutSeconds: 60
    failureThreshold: 10
  {{- if $api }}
  startupProbe:
    exec: {command: [python, "-m", mars.deploy.kubernetes.probe]}
    periodSeconds: 5
    timeoutSeconds: 60
    failureThreshold: 720
  {{- end }}
{{- end -}}
