{{/* What TensorFlow adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "templated.plan" -}}
framework: TensorFlow
decides: {role: worker, all: false}
peersHint: "with tensorflow.cluster: sparse a replica sees only the chief, ps and itself"
roles:
  worker: {container: tensorflow, portName: tf-port, replicas: 2, service: true}
hosts: {config: peers, roles: [worker]}
{{- end -}}

{{/* What it adds to the replicas of worker. */}}
{{- define "templated.role.worker" -}}
{{- $sparse := eq (toString (.root.Values.tensorflow | default dict).cluster) "sparse" -}}
{{- $peers := include "templated.name" (merge (dict "name" "peers") .) -}}
labels: {tensorflow.org: "", job_type: WORKER, runtime_id: {{ .id | quote }},
  tf_job_name: {{ .root.Chart.Name | quote }}, task_index: {{ .index | quote }}}
env:
  - name: CHARTGEN_CLUSTER
    valueFrom:
      configMapKeyRef:
        name: {{ $peers }}
        key: {{ ternary "servers-before-worker" "cluster" $sparse }}
  - name: TF_CONFIG
    {{- if $sparse }}
    value: '{"cluster":{$(CHARTGEN_CLUSTER)"worker":{"{{ .index }}":"{{ include "templated.replicaName" (merge (dict "role" "worker") .) }}:{{ int .spec.port }}"}},"task":{"type":"worker","index":{{ .index }}}}'
    {{- else }}
    value: '{"cluster":$(CHARTGEN_CLUSTER),"task":{"type":"worker","index":{{ .index }}}}'
    {{- end }}
{{- if $sparse }}
volumes: [{name: chartgen-peers, configMap: {name: {{ $peers }}}}]
volumeMounts: [{name: chartgen-peers, mountPath: /etc/chartgen/peers}]
{{- end }}
{{- end -}}

{{/* The ConfigMaps that replicas share. */}}
{{- define "templated.configs" -}}
- name: peers
  data:
    cluster: {{ include "templated.peers" (list . "json" "worker") | toJson }}
    servers: {{ include "templated.peers" (list . "json") | toJson }}
    servers-before-worker: {{ include "templated.peers" (list . "members") | toJson }}
    hosts: {{ include "templated.peers" (list . "lines" "worker") | toJson }}
{{- end -}}

{{/* Labels for TensorBoard. */}}
{{- define "templated.tensorboardLabels" -}}
tensorflow.org: ""
runtime_id: {{ .id | quote }}
tf_job_name: {{ .root.Chart.Name | quote }}
{{- end -}}
