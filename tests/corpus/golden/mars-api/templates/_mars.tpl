{{/* What Mars adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "analysis.plan" -}}
framework: Mars
decides: {role: driver, all: false}
peersHint: ""
roles:
  scheduler: {container: mars, portName: mars, replicas: 1, service: true, command: true,
    api: true, serves: true}
  worker: {container: mars, portName: mars, replicas: 2, command: true, api: true,
    rescalable: true, serves: true}
  web: {container: mars, portName: mars, replicas: 1, service: true, command: true, serves: true}
  driver: {container: mars, replicas: 1, once: true}
hosts: {config: peers, roles: [scheduler]}
notes:
  - "Rescale only the workers: helm upgrade ... --reuse-values --set roles.worker.replicas=N"
{{- end -}}

{{/* What it adds to the replicas of scheduler. */}}
{{- define "analysis.role.scheduler" -}}
{{- $mars := .root.Values.mars | default dict -}}
{{- $requests := include "analysis.requests" .spec | fromJson -}}
{{- $api := eq (toString $mars.discovery) "api" -}}
{{- $endpoints := eq (toString $mars.discovery) "endpoints" -}}
{{- $cpu := include "analysis.requested" (dict "spec" .spec "resource" "cpu" "least" 1) -}}
command: [python, "-m"]
labels:
  mars/service-type: marsscheduler
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

{{/* What it adds to the replicas of worker. */}}
{{- define "analysis.role.worker" -}}
{{- $mars := .root.Values.mars | default dict -}}
{{- $requests := include "analysis.requests" .spec | fromJson -}}
{{- $api := eq (toString $mars.discovery) "api" -}}
{{- $endpoints := eq (toString $mars.discovery) "endpoints" -}}
{{- $peers := include "analysis.name" (merge (dict "name" "peers") .) -}}
command: [python, "-m"]
labels:
  mars/service-type: marsworker
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
    value: {{ include "analysis.requested" (dict "spec" .spec "resource" "cpu" "least" 1) | quote }}
  - name: MARS_CPU_TOTAL
    value: {{ include "analysis.requested" (dict "spec" .spec "resource" "cpu" "least" 2) | quote }}
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
  {{- if include "analysis.option" (dict "value" $mars.minCacheMemory) }}
  - name: MARS_MIN_CACHE_MEM_SIZE
    value: {{ include "analysis.size" (dict "value" $mars.minCacheMemory) | toJson }}
  {{- end }}
  {{- if include "analysis.option" (dict "value" $mars.spillDirs) }}
  - name: MARS_SPILL_DIRS
    value: {{ include "analysis.option" (dict "value" $mars.spillDirs "between" ":") | toJson }}
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
      {{- with include "analysis.size"
        (dict "value" $mars.cacheMemory "spec" .spec "resource" "memory" "percent" 125) }}
      sizeLimit: {{ toJson (toString .) }}
      {{- end }}
volumeMounts:
  - {name: mars-shared, mountPath: /dev/shm}
waits:
  - name: wait-schedulers
    env:
      - {name: HOSTS, valueFrom: {configMapKeyRef: {name: {{ $peers }}, key: hosts}}}
{{- end -}}

{{/* What it adds to the replicas of web. */}}
{{- define "analysis.role.web" -}}
{{- $requests := include "analysis.requests" .spec | fromJson -}}
{{- $cpu := include "analysis.requested" (dict "spec" .spec "resource" "cpu" "least" 1) -}}
{{- $peers := include "analysis.name" (merge (dict "name" "peers") .) -}}
command: [python, "-m"]
labels:
  mars/service-type: marsweb
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
    value: {{ include "analysis.requested"
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

{{/* What it adds to the replicas of driver. */}}
{{- define "analysis.role.driver" -}}
{{- $mars := .root.Values.mars | default dict -}}
env:
  - name: MARS_ENDPOINT
    value: 'http://{{ include "analysis.replicaName" (dict "root" .root "id" .id "role" "web" "index" 0) }}:{{ include "analysis.port" (dict "root" .root "role" "web" "number" 0) }}'
waits:
  - name: wait-workers
    env:
      - name: WEB
        value: '{{ include "analysis.replicaName" (dict "root" .root "id" .id "role" "web" "index" 0) }} {{ include "analysis.port" (dict "root" .root "role" "web" "number" 0) }}'
      - {name: ASK, value: "/api/worker?action=count"}
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
    hosts: {{ include "analysis.peers" (list . "lines" "scheduler") | toJson }}
    schedulers: {{ include "analysis.peers" (list . "list" "scheduler") | toJson }}
    workers: {{ include "analysis.count"
      (merge (dict "role" "worker" "atMost" $mars.minWorkers) .) | quote }}
{{- end -}}

{{/* What pods that use the API may do. */}}
{{- define "analysis.rules" -}}
{{- $mars := .root.Values.mars | default dict -}}
{{- if eq (toString $mars.discovery) "api" }}
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch]
{{- end }}
{{- end -}}

{{/* Services for all replicas of a role. */}}
{{- define "analysis.services" -}}
{{- $mars := .root.Values.mars | default dict -}}
- name: web
  role: web
  type: {{ include "analysis.option" (dict "value" $mars.serviceType) | toJson }}
  about: "the web UI, and the endpoint for sessions"
{{- end -}}

{{/* Mars needs none of these. */}}
{{- define "analysis.tensorboardLabels" -}}{}{{- end -}}
