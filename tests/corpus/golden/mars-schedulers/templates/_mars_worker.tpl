{{/* What it adds to the replicas of worker. */}}
{{- define "cluster.role.worker" -}}
{{- $mars := .root.Values.mars | default dict -}}
{{- $requests := include "cluster.requests" .spec | fromJson -}}
{{- $api := eq (toString $mars.discovery) "api" -}}
{{- $endpoints := eq (toString $mars.discovery) "endpoints" -}}
{{- $peers := include "cluster.name" (merge (dict "name" "peers") .) -}}
command: [python, "-m"]
labels: {mars/service-type: marsworker}
env:
  {{- if $api }}
  - {name: MARS_K8S_POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
  - {name: MARS_K8S_POD_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
  - {name: MARS_K8S_POD_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
  - {name: MARS_K8S_SERVICE_PORT, value: {{ int .spec.port | quote }}}
  - {name: MARS_K8S_GROUP_LABELS, value: "app.kubernetes.io/instance,chartgen/runtime-id"}
  {{- end }}
  - {name: MARS_CONTAINER_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
  {{- if $endpoints }}
  - {name: CHARTGEN_SCHEDULERS, valueFrom: {configMapKeyRef: {name: {{ $peers }}, key: schedulers}}}
  {{- end }}
  {{- if hasKey $requests "cpu" }}
  - name: MKL_NUM_THREADS
    value: {{ include "cluster.requested" (dict "spec" .spec "resource" "cpu" "least" 1) | quote }}
  - name: MARS_CPU_TOTAL
    value: {{ include "cluster.requested" (dict "spec" .spec "resource" "cpu" "least" 2) | quote }}
  - {name: MARS_CPU_USE_PROCESS_STAT, value: "1"}
  {{- end }}
  {{- if hasKey $requests "memory" }}
  - name: MARS_MEMORY_TOTAL
    value: {{ include "cluster.requested"
      (dict "spec" .spec "resource" "memory" "least" 1) | quote }}
  - {name: MARS_MEM_USE_PROCESS_STAT, value: "1"}
  {{- end }}
  {{- if include "cluster.option" (dict "value" $mars.cacheMemory) }}
  - name: MARS_CACHE_MEM_SIZE
    value: {{ include "cluster.size" (dict "value" $mars.cacheMemory) | toJson }}
  {{- end }}
  {{- if include "cluster.option" (dict "value" $mars.minCacheMemory) }}
  - name: MARS_MIN_CACHE_MEM_SIZE
    value: {{ include "cluster.size" (dict "value" $mars.minCacheMemory) | toJson }}
  {{- end }}
  {{- if include "cluster.option" (dict "value" $mars.spillDirs) }}
  - name: MARS_SPILL_DIRS
    value: {{ include "cluster.option" (dict "value" $mars.spillDirs "between" ":") | toJson }}
  {{- end }}
args:
  - {{ ternary "mars.deploy.kubernetes.worker" "mars.worker" $api }}
  - "-p"
  - {{ int .spec.port | quote }}
  {{- if $endpoints }}
  - "-a"
  - "$(MARS_CONTAINER_IP)"
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
volumes:
  - name: mars-shared
    emptyDir:
      medium: Memory
      {{- with include "cluster.size"
        (dict "value" $mars.cacheMemory "spec" .spec "resource" "memory" "percent" 125) }}
      sizeLimit: {{ toJson (toString .) }}
      {{- end }}
volumeMounts: [{name: mars-shared, mountPath: /dev/shm}]
waits:
  - name: wait-schedulers
    env:
      - {name: HOSTS, valueFrom: {configMapKeyRef: {name: {{ $peers }}, key: hosts}}}
{{- end -}}
