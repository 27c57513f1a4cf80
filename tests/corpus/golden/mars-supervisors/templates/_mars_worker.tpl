{{/* What it adds to the replicas of worker. */}}
{{- define "analysis.role.worker" -}}
{{- $mars := .root.Values.mars | default dict -}}
{{- $requests := include "analysis.requests" .spec | fromJson -}}
{{- $cpu := include "analysis.requested" (dict "spec" .spec "resource" "cpu" "least" 1) -}}
command: [python, "-m"]
labels: {mars/service-type: marsworker}
env:
  - {name: MARS_CONTAINER_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
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
  {{- if include "analysis.option" (dict "value" $mars.cacheMemory) }}
  - name: MARS_CACHE_MEM_SIZE
    value: {{ include "analysis.size" (dict "value" $mars.cacheMemory) | toJson }}
  {{- end }}
  {{- if include "analysis.option" (dict "value" $mars.spillDirs) }}
  - name: MARS_SPILL_DIRS
    value: {{ include "analysis.option" (dict "value" $mars.spillDirs "between" ":") | toJson }}
  {{- end }}
args:
  - mars.deploy.oscar.worker
  - "-e"
  - '$(MARS_CONTAINER_IP):{{ int .spec.port }}'
  - "-s"
  - '{{ include "analysis.replicaName" (dict "root" .root "id" .id "role" "supervisor" "index" 0) }}:7103'
  {{- if include "analysis.option" (dict "value" $mars.cacheMemory) }}
  - "-f"
  - /etc/chartgen/storage/config.yml
  {{- end }}
fields:
  readinessProbe:
    tcpSocket: {port: {{ int .spec.port }}}
    initialDelaySeconds: 5
    periodSeconds: 5
    timeoutSeconds: 60
    failureThreshold: 10
volumes:
  {{- if include "analysis.option" (dict "value" $mars.cacheMemory) }}
  - {name: chartgen-storage, configMap: {name: {{ include "analysis.name"
    (merge (dict "name" "storage") .) }}}}
  {{- end }}
  - name: mars-shared
    emptyDir:
      medium: Memory
      {{- with include "analysis.size"
        (dict "value" $mars.cacheMemory "spec" .spec "resource" "memory" "percent" 125) }}
      sizeLimit: {{ toJson (toString .) }}
      {{- end }}
volumeMounts:
  {{- if include "analysis.option" (dict "value" $mars.cacheMemory) }}
  - {name: chartgen-storage, mountPath: /etc/chartgen/storage}
  {{- end }}
  - {name: mars-shared, mountPath: /dev/shm}
waits:
  - name: wait-supervisors
    env:
      - name: HOSTS
        valueFrom:
          configMapKeyRef:
            name: {{ include "analysis.name" (merge (dict "name" "peers") .) }}
            key: hosts
{{- end -}}
