{{/* What Mars adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "analysis.plan" -}}
framework: Mars
decides: {role: driver, all: false}
peersHint: ""
roles:
  supervisor: {container: mars, portName: web, replicas: 1, service: true, command: true,
    serves: true}
  worker: {container: mars, portName: mars, replicas: 3, command: true, rescalable: true,
    serves: true}
  driver: {container: mars, replicas: 1, once: true}
hosts: {config: peers, roles: [supervisor]}
notes:
  - "Rescale only the workers: helm upgrade ... --reuse-values --set roles.worker.replicas=N"
{{- end -}}

{{/* What it adds to the replicas of supervisor. */}}
{{- define "analysis.role.supervisor" -}}
{{- $requests := include "analysis.requests" .spec | fromJson -}}
{{- $cpu := include "analysis.requested" (dict "spec" .spec "resource" "cpu" "least" 1) -}}
command: [python, "-m"]
labels:
  mars/service-type: marssupervisor
env:
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
  - mars.deploy.oscar.supervisor
  - "-e"
  - '{{ include "analysis.replicaName" (dict "root" .root "id" .id "role" "supervisor" "index" 0) }}:7103'
  - "-w"
  - {{ int .spec.port | quote }}
fields:
  readinessProbe:
    tcpSocket: {port: {{ int .spec.port }}}
    initialDelaySeconds: 5
    periodSeconds: 5
    timeoutSeconds: 60
    failureThreshold: 10
waits:
  - name: wait-name
    env:
      - name: NAME
        value: {{ include "analysis.replicaName"
          (dict "root" .root "id" .id "role" "supervisor" "index" 0) | quote }}
{{- end -}}

{{/* What it adds to the replicas of worker. */}}
{{- define "analysis.role.worker" -}}
{{- $mars := .root.Values.mars | default dict -}}
{{- $requests := include "analysis.requests" .spec | fromJson -}}
{{- $cpu := include "analysis.requested" (dict "spec" .spec "resource" "cpu" "least" 1) -}}
command: [python, "-m"]
labels:
  mars/service-type: marsworker
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

{{/* What it adds to the replicas of driver. */}}
{{- define "analysis.role.driver" -}}
{{- $mars := .root.Values.mars | default dict -}}
env:
  - name: MARS_ENDPOINT
    value: 'http://{{ include "analysis.replicaName" (dict "root" .root "id" .id "role" "supervisor" "index" 0) }}:{{ include "analysis.port" (dict "root" .root "role" "supervisor" "number" 0) }}'
waits:
  - name: wait-workers
    env:
      - name: WEB
        value: '{{ include "analysis.replicaName" (dict "root" .root "id" .id "role" "supervisor" "index" 0) }} {{ include "analysis.port" (dict "root" .root "role" "supervisor" "number" 0) }}'
      - {name: ASK, value: "/api/cluster/nodes?role=1"}
      - {name: COUNT, value: '"update_time"'}
      - name: LEAST
        valueFrom:
          configMapKeyRef:
            name: {{ include "analysis.name" (merge (dict "name" "peers") .) }}
            key: workers
      {{- if include "analysis.option" (dict "value" $mars.timeout) }}
      - name: TIMEOUT
        value: {{ include "analysis.option" (dict "value" $mars.timeout) | toJson }}
      {{- end }}
{{- end -}}

{{/* The ConfigMaps that replicas share. */}}
{{- define "analysis.configs" -}}
{{- $mars := .root.Values.mars | default dict -}}
- name: peers
  data:
    hosts: {{ include "analysis.peers" (list . "lines" "supervisor") | toJson }}
    workers: {{ include "analysis.count"
      (merge (dict "role" "worker" "atMost" $mars.minWorkers) .) | quote }}
{{- if include "analysis.option" (dict "value" $mars.cacheMemory) }}
- name: storage
  data:
    config.yml: "\"@inherits\": \"@mars/deploy/oscar/base_config.yml\"\nstorage: {backends: [plasma]}\n"
{{- end }}
{{- end -}}

{{/* Services for all replicas of a role. */}}
{{- define "analysis.services" -}}
{{- $mars := .root.Values.mars | default dict -}}
- name: web
  role: supervisor
  type: {{ include "analysis.option" (dict "value" $mars.serviceType) | toJson }}
  about: "the web UI, and the endpoint for sessions"
{{- end -}}

{{/* Mars needs none of these. */}}
{{- define "analysis.tensorboardLabels" -}}{}{{- end -}}
