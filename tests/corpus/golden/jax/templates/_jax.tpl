{{/* What JAX adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "gemma.plan" -}}
framework: JAX
decides: {role: worker, all: true}
peersHint: ""
roles:
  worker: {container: jax, portName: jaxjob-port, replicas: 2, service: true, meets: true}
hosts: {config: peers, roles: [worker]}
{{- end -}}

{{/* What it adds to the replicas of worker. */}}
{{- define "gemma.role.worker" -}}
{{- $jax := .root.Values.jax | default dict -}}
env:
  - name: JAX_COORDINATOR_ADDRESS
    value: '{{ include "gemma.replicaName" (dict "root" .root "id" .id "role" "worker" "index" 0) }}:{{ include "gemma.port" (dict "root" .root "role" "worker" "number" 0) }}'
  - name: JAX_NUM_PROCESSES
    value: {{ include "gemma.count" (merge (dict "role" "worker") .) | quote }}
  - {name: JAX_PROCESS_ID, value: {{ .index | quote }}}
  - name: COORDINATOR_ADDRESS
    value: {{ include "gemma.replicaName"
      (dict "root" .root "id" .id "role" "worker" "index" 0) | quote }}
  - name: COORDINATOR_PORT
    value: {{ include "gemma.port" (dict "root" .root "role" "worker" "number" 0) | quote }}
  - name: NUM_PROCESSES
    value: {{ include "gemma.count" (merge (dict "role" "worker") .) | quote }}
  - {name: PROCESS_ID, value: {{ .index | quote }}}
  {{- if eq (toString $jax.detect) "slurm" }}
  - {name: SLURM_JOB_ID, value: "1"}
  - name: SLURM_STEP_NODELIST
    value: {{ include "gemma.replicaName"
      (dict "root" .root "id" .id "role" "worker" "index" 0) | quote }}
  - name: SLURM_NTASKS
    value: {{ include "gemma.count" (merge (dict "role" "worker") .) | quote }}
  - {name: SLURM_PROCID, value: {{ .index | quote }}}
  - {name: SLURM_LOCALID, value: "0"}
  {{- end }}
  - name: JAX_LOCAL_DEVICE_IDS
    value: {{ include "gemma.deviceCount" (dict "spec" .spec) | int | until | join "," | quote }}
  - {name: PYTHONUNBUFFERED, value: "1"}
{{- end -}}

{{/* The ConfigMaps that replicas share. */}}
{{- define "gemma.configs" -}}
- name: peers
  data:
    hosts: {{ include "gemma.peers" (list . "lines" "worker") | toJson }}
{{- end -}}

{{/* JAX needs none of these. */}}
{{- define "gemma.tensorboardLabels" -}}{}{{- end -}}
