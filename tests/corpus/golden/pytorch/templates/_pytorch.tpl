{{/* What PyTorch adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "resnet.plan" -}}
framework: PyTorch
decides: {role: master, all: false}
peersHint: ""
roles:
  master: {container: pytorch, portName: pytorchjob-port, replicas: 1, service: true, meets: true}
  worker: {container: pytorch, portName: pytorchjob-port, rankAfter: master, replicas: 3}
hosts: {config: peers, roles: [master]}
{{- end -}}

{{/* What it adds to the replicas of master. */}}
{{- define "resnet.role.master" -}}
{{- $pytorch := .root.Values.pytorch | default dict -}}
{{- $deepspeed := eq (toString $pytorch.hostfile) "deepspeed" -}}
env:
  - name: MASTER_ADDR
    value: {{ include "resnet.replicaName"
      (dict "root" .root "id" .id "role" "master" "index" 0) | quote }}
  - name: MASTER_PORT
    value: {{ include "resnet.port" (dict "root" .root "role" "master" "number" 0) | quote }}
  - name: WORLD_SIZE
    value: {{ include "resnet.replicaTotal"
      (dict "root" .root "roles" (list "master" "worker") "times" $pytorch.nprocPerNode) | quote }}
  - {name: RANK, value: {{ .rank | quote }}}
  - {name: LOCAL_RANK, value: "0"}
  - name: PET_MASTER_ADDR
    value: {{ include "resnet.replicaName"
      (dict "root" .root "id" .id "role" "master" "index" 0) | quote }}
  - name: PET_MASTER_PORT
    value: {{ include "resnet.port" (dict "root" .root "role" "master" "number" 0) | quote }}
  - name: PET_NNODES
    value: {{ include "resnet.replicaTotal"
      (dict "root" .root "roles" (list "master" "worker")) | quote }}
  - {name: PET_NODE_RANK, value: {{ .rank | quote }}}
  - name: PET_NPROC_PER_NODE
    value: {{ include "resnet.deviceCount"
      (dict "spec" .spec "unless" $pytorch.nprocPerNode) | quote }}
  - {name: PYTHONUNBUFFERED, value: "1"}
volumes:
  {{- if $deepspeed }}
  - {name: chartgen-hostfile, configMap: {name: {{ include "resnet.name"
    (merge (dict "name" "hostfile") .) }}}}
  {{- end }}
  - name: chartgen-shm
    emptyDir:
      medium: Memory
      {{- with include "resnet.option" (dict "value" $pytorch.sharedMemory) }}
      sizeLimit: {{ toJson (toString .) }}
      {{- end }}
volumeMounts:
  {{- if $deepspeed }}
  - {name: chartgen-hostfile, mountPath: /job}
  {{- end }}
  - {name: chartgen-shm, mountPath: /dev/shm}
{{- end -}}

{{/* What it adds to the replicas of worker. */}}
{{- define "resnet.role.worker" -}}
{{- $pytorch := .root.Values.pytorch | default dict -}}
{{- $deepspeed := eq (toString $pytorch.hostfile) "deepspeed" -}}
env:
  - name: MASTER_ADDR
    value: {{ include "resnet.replicaName"
      (dict "root" .root "id" .id "role" "master" "index" 0) | quote }}
  - name: MASTER_PORT
    value: {{ include "resnet.port" (dict "root" .root "role" "master" "number" 0) | quote }}
  - name: WORLD_SIZE
    value: {{ include "resnet.replicaTotal"
      (dict "root" .root "roles" (list "master" "worker") "times" $pytorch.nprocPerNode) | quote }}
  - {name: RANK, value: {{ .rank | quote }}}
  - {name: LOCAL_RANK, value: "0"}
  - name: PET_MASTER_ADDR
    value: {{ include "resnet.replicaName"
      (dict "root" .root "id" .id "role" "master" "index" 0) | quote }}
  - name: PET_MASTER_PORT
    value: {{ include "resnet.port" (dict "root" .root "role" "master" "number" 0) | quote }}
  - name: PET_NNODES
    value: {{ include "resnet.replicaTotal"
      (dict "root" .root "roles" (list "master" "worker")) | quote }}
  - {name: PET_NODE_RANK, value: {{ .rank | quote }}}
  - name: PET_NPROC_PER_NODE
    value: {{ include "resnet.deviceCount"
      (dict "spec" .spec "unless" $pytorch.nprocPerNode) | quote }}
  - {name: PYTHONUNBUFFERED, value: "1"}
volumes:
  {{- if $deepspeed }}
  - {name: chartgen-hostfile, configMap: {name: {{ include "resnet.name"
    (merge (dict "name" "hostfile") .) }}}}
  {{- end }}
  - name: chartgen-shm
    emptyDir:
      medium: Memory
      {{- with include "resnet.option" (dict "value" $pytorch.sharedMemory) }}
      sizeLimit: {{ toJson (toString .) }}
      {{- end }}
volumeMounts:
  {{- if $deepspeed }}
  - {name: chartgen-hostfile, mountPath: /job}
  {{- end }}
  - {name: chartgen-shm, mountPath: /dev/shm}
{{- end -}}

{{/* The ConfigMaps that replicas share. */}}
{{- define "resnet.configs" -}}
{{- $pytorch := .root.Values.pytorch | default dict -}}
- name: peers
  data:
    hosts: {{ include "resnet.peers" (list . "lines" "master") | toJson }}
{{- if eq (toString $pytorch.hostfile) "deepspeed" }}
- name: hostfile
  data:
    hostfile: {{ printf "%v\n" (include "resnet.peerList"
      (merge (dict "roles" (list "master" "worker") "item" "{host} slots={devices}"
        "between" "\n" "unless" $pytorch.nprocPerNode) .)) | toJson }}
{{- end }}
{{- end -}}

{{/* PyTorch needs none of these. */}}
{{- define "resnet.tensorboardLabels" -}}{}{{- end -}}
