{{/* What TensorFlow adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "smoke.plan" -}}
framework: TensorFlow
decides: {role: chief, all: false}
peersHint: "with tensorflow.cluster: sparse a replica sees only the chief, ps and itself"
roles:
  chief: {container: tensorflow, portName: tf-port, replicas: 1, service: true}
hosts: {config: peers, roles: [chief]}
{{- end -}}

{{/* What it adds to the replicas of chief. */}}
{{- define "smoke.role.chief" -}}
{{- $sparse := eq (toString (.root.Values.tensorflow | default dict).cluster) "sparse" -}}
{{- $peers := include "smoke.name" (merge (dict "name" "peers") .) -}}
labels: {tensorflow.org: "", job_type: CHIEF, runtime_id: {{ .id | quote }},
  tf_job_name: {{ .root.Chart.Name | quote }}, task_index: {{ .index | quote }}}
env:
  - name: CHARTGEN_CLUSTER
    valueFrom:
      configMapKeyRef: {name: {{ $peers }}, key: {{ ternary "servers" "cluster" $sparse }}}
  - name: TF_CONFIG
    value: '{"cluster":$(CHARTGEN_CLUSTER),"task":{"type":"chief","index":{{ .index }}}}'
{{- if $sparse }}
volumes: [{name: chartgen-peers, configMap: {name: {{ $peers }}}}]
volumeMounts: [{name: chartgen-peers, mountPath: /etc/chartgen/peers}]
{{- end }}
{{- end -}}

{{/* The ConfigMaps that replicas share. */}}
{{- define "smoke.configs" -}}
- name: peers
  data:
    cluster: {{ include "smoke.peers" (list . "json" "chief") | toJson }}
    servers: {{ include "smoke.peers" (list . "json" "chief") | toJson }}
    servers-before-worker: {{ include "smoke.peers" (list . "members" "chief") | toJson }}
    hosts: {{ include "smoke.peers" (list . "lines" "chief") | toJson }}
{{- end -}}

{{/* Labels for TensorBoard. */}}
{{- define "smoke.tensorboardLabels" -}}
tensorflow.org: ""
runtime_id: {{ .id | quote }}
tf_job_name: {{ .root.Chart.Name | quote }}
{{- end -}}
