{{/* What MXNet adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "cifar10.plan" -}}
framework: MXNet
decides: {role: worker, all: true}
peersHint: ""
roles:
  scheduler: {container: mxnet, portName: ps-root-port, replicas: 1, service: true, starts: true,
    serves: true}
  server: {container: mxnet, replicas: 2, starts: true, serves: true}
  worker: {container: mxnet, replicas: 3}
hosts: {config: peers, roles: [scheduler]}
{{- end -}}

{{/* What it adds to the replicas of scheduler. */}}
{{- define "cifar10.role.scheduler" -}}
{{- $mxnet := .root.Values.mxnet | default dict -}}
{{- if not (or (hasKey .spec "command") (hasKey .spec "args")) }}
command: [python, "-c", "import mxnet"]
{{- end }}
labels: {mxnet.mlkube.io: "", job_type: SCHEDULER, runtime_id: {{ .id | quote }},
  task_index: {{ .index | quote }}}
env:
  - name: DMLC_PS_ROOT_PORT
    value: {{ include "cifar10.port" (dict "root" .root "role" "scheduler" "number" 0) | quote }}
  - name: DMLC_PS_ROOT_URI
    value: {{ include "cifar10.replicaName"
      (dict "root" .root "id" .id "role" "scheduler" "index" 0) | quote }}
  - name: DMLC_NUM_SERVER
    value: {{ include "cifar10.count" (merge (dict "role" "server") .) | quote }}
  - name: DMLC_NUM_WORKER
    value: {{ include "cifar10.count" (merge (dict "role" "worker") .) | quote }}
  - {name: DMLC_ROLE, value: scheduler}
  - name: DMLC_USE_KUBERNETES
    {{- if eq (toString $mxnet.bind) "name" }}
    value: "0"
    {{- else }}
    value: "1"
    {{- end }}
{{- end -}}

{{/* What it adds to the replicas of server. */}}
{{- define "cifar10.role.server" -}}
{{- $mxnet := .root.Values.mxnet | default dict -}}
{{- if not (or (hasKey .spec "command") (hasKey .spec "args")) }}
command: [python, "-c", "import mxnet"]
{{- end }}
labels: {mxnet.mlkube.io: "", job_type: SERVER, runtime_id: {{ .id | quote }},
  task_index: {{ .index | quote }}}
env:
  - name: DMLC_PS_ROOT_PORT
    value: {{ include "cifar10.port" (dict "root" .root "role" "scheduler" "number" 0) | quote }}
  - name: DMLC_PS_ROOT_URI
    value: {{ include "cifar10.replicaName"
      (dict "root" .root "id" .id "role" "scheduler" "index" 0) | quote }}
  - name: DMLC_NUM_SERVER
    value: {{ include "cifar10.count" (merge (dict "role" "server") .) | quote }}
  - name: DMLC_NUM_WORKER
    value: {{ include "cifar10.count" (merge (dict "role" "worker") .) | quote }}
  - {name: DMLC_ROLE, value: server}
  - name: DMLC_USE_KUBERNETES
    {{- if eq (toString $mxnet.bind) "name" }}
    value: "0"
    {{- else }}
    value: "1"
    {{- end }}
{{- end -}}

{{/* What it adds to the replicas of worker. */}}
{{- define "cifar10.role.worker" -}}
{{- $mxnet := .root.Values.mxnet | default dict -}}
labels: {mxnet.mlkube.io: "", job_type: WORKER, runtime_id: {{ .id | quote }},
  task_index: {{ .index | quote }}}
env:
  - name: DMLC_PS_ROOT_PORT
    value: {{ include "cifar10.port" (dict "root" .root "role" "scheduler" "number" 0) | quote }}
  - name: DMLC_PS_ROOT_URI
    value: {{ include "cifar10.replicaName"
      (dict "root" .root "id" .id "role" "scheduler" "index" 0) | quote }}
  - name: DMLC_NUM_SERVER
    value: {{ include "cifar10.count" (merge (dict "role" "server") .) | quote }}
  - name: DMLC_NUM_WORKER
    value: {{ include "cifar10.count" (merge (dict "role" "worker") .) | quote }}
  - {name: DMLC_ROLE, value: worker}
  - name: DMLC_USE_KUBERNETES
    {{- if eq (toString $mxnet.bind) "name" }}
    value: "0"
    {{- else }}
    value: "1"
    {{- end }}
{{- end -}}

{{/* The ConfigMaps that replicas share. */}}
{{- define "cifar10.configs" -}}
- name: peers
  data:
    hosts: {{ include "cifar10.peers" (list . "lines" "scheduler") | toJson }}
{{- end -}}

{{/* MXNet needs none of these. */}}
{{- define "cifar10.tensorboardLabels" -}}{}{{- end -}}
