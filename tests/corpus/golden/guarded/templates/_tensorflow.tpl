{{/* What TensorFlow adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "guarded.plan" -}}
framework: TensorFlow
decides: {role: chief, all: false}
peersHint: "with tensorflow.cluster: sparse a replica sees only the chief, ps and itself"
roles:
  chief: {container: tensorflow, portName: tf-port, replicas: 1, service: true}
  ps: {container: tensorflow, portName: tf-port, replicas: 1, service: true, starts: true,
    serves: true}
hosts: {config: peers, roles: [chief, ps]}
{{- end -}}

{{/* What it adds to the replicas of chief. */}}
{{- define "guarded.role.chief" -}}
{{- $sparse := eq (toString (.root.Values.tensorflow | default dict).cluster) "sparse" -}}
{{- $peers := include "guarded.name" (merge (dict "name" "peers") .) -}}
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

{{/* What it adds to the replicas of ps. */}}
{{- define "guarded.role.ps" -}}
{{- $starts := not (or (hasKey .spec "command") (hasKey .spec "args")) -}}
{{- $sparse := eq (toString (.root.Values.tensorflow | default dict).cluster) "sparse" -}}
{{- $peers := include "guarded.name" (merge (dict "name" "peers") .) -}}
{{- if $starts }}
command: [python, /ps-server/grpc_tensorflow_server.py, "--cluster_spec",
  "@/ps-server/cluster-spec", "--job_name", ps, "--task_id", {{ .index | quote }}]
{{- end }}
labels: {tensorflow.org: "", job_type: PS, runtime_id: {{ .id | quote }},
  tf_job_name: {{ .root.Chart.Name | quote }}, task_index: {{ .index | quote }}}
env:
  - name: CHARTGEN_CLUSTER
    valueFrom:
      configMapKeyRef: {name: {{ $peers }}, key: {{ ternary "servers" "cluster" $sparse }}}
  - name: TF_CONFIG
    value: '{"cluster":$(CHARTGEN_CLUSTER),"task":{"type":"ps","index":{{ .index }}}}'
volumes:
  {{- if $sparse }}
  - {name: chartgen-peers, configMap: {name: {{ $peers }}}}
  {{- end }}
  {{- if $starts }}
  - {name: ps-config-volume, configMap: {name: {{ include "guarded.name"
    (merge (dict "name" "cm-ps") .) }}}}
  {{- end }}
volumeMounts:
  {{- if $sparse }}
  - {name: chartgen-peers, mountPath: /etc/chartgen/peers}
  {{- end }}
  {{- if $starts }}
  - {name: ps-config-volume, mountPath: /ps-server}
  {{- end }}
{{- end -}}

{{/* The ConfigMaps that replicas share. */}}
{{- define "guarded.configs" -}}
- name: peers
  data:
    cluster: {{ include "guarded.peers" (list . "json" "chief" "ps") | toJson }}
    servers: {{ include "guarded.peers" (list . "json" "chief" "ps") | toJson }}
    servers-before-worker: {{ include "guarded.peers" (list . "members" "chief" "ps") | toJson }}
    hosts: {{ include "guarded.peers" (list . "lines" "chief" "ps") | toJson }}
{{- if include "guarded.starts" (dict "root" .root "role" "ps") }}
- name: cm-ps
  data:
    grpc_tensorflow_server.py: {{ .root.Files.Get "files/grpc_tensorflow_server.py" | toJson }}
    cluster-spec: {{ include "guarded.peers" (list . "spec" "chief" "ps") | toJson }}
{{- end }}
{{- end -}}

{{/* Labels for TensorBoard. */}}
{{- define "guarded.tensorboardLabels" -}}
tensorflow.org: ""
runtime_id: {{ .id | quote }}
tf_job_name: {{ .root.Chart.Name | quote }}
{{- end -}}
