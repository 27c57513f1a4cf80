{{/* What Mars adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "cluster.plan" -}}
framework: Mars
decides: {role: "", all: false}
peersHint: ""
roles:
  scheduler: {container: mars, portName: mars, replicas: 2, service: true, command: true,
    api: true, serves: true}
  worker: {container: mars, portName: mars, replicas: 2, command: true, api: true,
    rescalable: true, serves: true}
  web: {container: mars, portName: mars, replicas: 1, service: true, command: true, serves: true}
hosts: {config: peers, roles: [scheduler]}
notes:
  - "Use it from Python: new_session('http://HOST:PORT').as_default(), with the address above."
  - "Rescale only the workers: helm upgrade ... --reuse-values --set roles.worker.replicas=N"
{{- end -}}

{{/* What it adds to the replicas of scheduler. */}}
{{- define "cluster.role.scheduler" -}}
{{- $mars := .root.Values.mars | default dict -}}
{{- $requests := include "cluster.requests" .spec | fromJson -}}
{{- $api := eq (toString $mars.discovery) "api" -}}
{{- $endpoints := eq (toString $mars.discovery) "endpoints" -}}
{{- $cpu := include "cluster.requested" (dict "spec" .spec "resource" "cpu" "least" 1) -}}
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
        name: {{ include "cluster.name" (merge (dict "name" "peers") .) }}
        key: schedulers
  {{- end }}
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
  - {{ ternary "mars.deploy.kubernetes.scheduler" "mars.scheduler" $api }}
  - "-p"
  - {{ int .spec.port | quote }}
  {{- if $endpoints }}
  - "-a"
  {{- with include "cluster.replicaName" (merge (dict "role" "scheduler") .) }}
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
{{- define "cluster.role.worker" -}}
{{- $mars := .root.Values.mars | default dict -}}
{{- $requests := include "cluster.requests" .spec | fromJson -}}
{{- $api := eq (toString $mars.discovery) "api" -}}
{{- $endpoints := eq (toString $mars.discovery) "endpoints" -}}
{{- $peers := include "cluster.name" (merge (dict "name" "peers") .) -}}
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
volumeMounts:
  - {name: mars-shared, mountPath: /dev/shm}
waits:
  - name: wait-schedulers
    env:
      - {name: HOSTS, valueFrom: {configMapKeyRef: {name: {{ $peers }}, key: hosts}}}
{{- end -}}

{{/* What it adds to the replicas of web. */}}
{{- define "cluster.role.web" -}}
{{- $requests := include "cluster.requests" .spec | fromJson -}}
{{- $cpu := include "cluster.requested" (dict "spec" .spec "resource" "cpu" "least" 1) -}}
{{- $peers := include "cluster.name" (merge (dict "name" "peers") .) -}}
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

{{/* The ConfigMaps that replicas share. */}}
{{- define "cluster.configs" -}}
- name: peers
  data:
    hosts: {{ include "cluster.peers" (list . "lines" "scheduler") | toJson }}
    schedulers: {{ include "cluster.peers" (list . "list" "scheduler") | toJson }}
{{- end -}}

{{/* What pods that use the API may do. */}}
{{- define "cluster.rules" -}}
{{- $mars := .root.Values.mars | default dict -}}
{{- if eq (toString $mars.discovery) "api" }}
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch]
{{- end }}
{{- end -}}

{{/* Services for all replicas of a role. */}}
{{- define "cluster.services" -}}
{{- $mars := .root.Values.mars | default dict -}}
- name: web
  role: web
  type: {{ include "cluster.option" (dict "value" $mars.serviceType) | toJson }}
  about: "the web UI, and the endpoint for sessions"
{{- end -}}

{{/* Mars needs none of these. */}}
{{- define "cluster.tensorboardLabels" -}}{}{{- end -}}
