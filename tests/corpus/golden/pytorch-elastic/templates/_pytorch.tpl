{{/* What PyTorch adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "elastic-resnet.plan" -}}
framework: PyTorch
decides: {role: worker, all: false}
peersHint: ""
roles:
  worker: {container: pytorch, portName: pytorchjob-port, replicas: 2, service: true,
    rescalable: true, meets: true}
hosts: {config: peers, roles: [worker]}
{{- end -}}

{{/* What it adds to the replicas of worker. */}}
{{- define "elastic-resnet.role.worker" -}}
{{- $pytorch := .root.Values.pytorch | default dict -}}
env:
  - {name: PET_RDZV_BACKEND, value: c10d}
  - name: PET_RDZV_ENDPOINT
    value: '{{ include "elastic-resnet.replicaName" (dict "root" .root "id" .id "role" "worker" "index" 0) }}:{{ include "elastic-resnet.port" (dict "root" .root "role" "worker" "number" 0) }}'
  - {name: PET_RDZV_ID, value: {{ .id | quote }}}
  - name: PET_RDZV_CONF
    value: {{ printf "%v,is_host=%v" (include "elastic-resnet.option"
      (dict "value" $pytorch.rdzvConf)) .first | toJson }}
  - name: PET_NNODES
    value: {{ include "elastic-resnet.range"
      (dict "least" $pytorch.minReplicas "most" $pytorch.maxReplicas "names" (list "pytorch.minReplicas" "pytorch.maxReplicas")) | toJson }}
  - {name: PET_LOCAL_ADDR, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
  - {name: PET_MAX_RESTARTS, value: "3"}
  - {name: TORCH_DISABLE_SHARE_RDZV_TCP_STORE, value: "1"}
  - name: PET_NPROC_PER_NODE
    value: {{ include "elastic-resnet.deviceCount"
      (dict "spec" .spec "unless" $pytorch.nprocPerNode) | quote }}
  - {name: PYTHONUNBUFFERED, value: "1"}
{{- end -}}

{{/* The ConfigMaps that replicas share. */}}
{{- define "elastic-resnet.configs" -}}
- name: peers
  data:
    hosts: {{ include "elastic-resnet.peers" (list . "lines" "worker") | toJson }}
{{- end -}}

{{/* PyTorch needs none of these. */}}
{{- define "elastic-resnet.tensorboardLabels" -}}{}{{- end -}}
