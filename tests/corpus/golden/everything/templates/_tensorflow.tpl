{{/* What TensorFlow adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "everything.plan" -}}
framework: TensorFlow
decides: {role: chief, all: false}
peersHint: "with tensorflow.cluster: sparse a replica sees only the chief, ps and itself"
roles:
  chief: {container: tensorflow, portName: tf-port, replicas: 1, service: true}
  worker: {container: tensorflow, portName: tf-port, replicas: 6, service: true}
  ps: {container: tensorflow, portName: tf-port, replicas: 1, service: true, starts: true,
    serves: true}
  evaluator: {container: tensorflow, portName: tf-port, replicas: 1}
hosts: {config: peers, roles: [chief, ps, worker]}
{{- end -}}

{{/* What it adds to the replicas of chief. */}}
{{- define "everything.role.chief" -}}
{{- $sparse := eq (toString (.root.Values.tensorflow | default dict).cluster) "sparse" -}}
{{- $peers := include "everything.name" (merge (dict "name" "peers") .) -}}
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

{{/* What it adds to the replicas of worker. */}}
{{- define "everything.role.worker" -}}
{{- $sparse := eq (toString (.root.Values.tensorflow | default dict).cluster) "sparse" -}}
{{- $peers := include "everything.name" (merge (dict "name" "peers") .) -}}
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
    value: '{"cluster":{$(CHARTGEN_CLUSTER)"worker":{"{{ .index }}":"{{ include "everything.replicaName" (merge (dict "role" "worker") .) }}:{{ int .spec.port }}"}},"task":{"type":"worker","index":{{ .index }}}}'
    {{- else }}
    value: '{"cluster":$(CHARTGEN_CLUSTER),"task":{"type":"worker","index":{{ .index }}}}'
    {{- end }}
{{- if $sparse }}
volumes: [{name: chartgen-peers, configMap: {name: {{ $peers }}}}]
volumeMounts: [{name: chartgen-peers, mountPath: /etc/chartgen/peers}]
{{- end }}
{{- end -}}

{{/* What it adds to the replicas of ps. */}}
{{- define "everything.role.ps" -}}
{{- $starts := not (or (hasKey .spec "command") (hasKey .spec "args")) -}}
{{- $sparse := eq (toString (.root.Values.tensorflow | default dict).cluster) "sparse" -}}
{{- $peers := include "everything.name" (merge (dict "name" "peers") .) -}}
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
  - {name: ps-config-volume, configMap: {name: {{ include "everything.name"
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

{{/* What it adds to the replicas of evaluator. */}}
{{- define "everything.role.evaluator" -}}
{{- $sparse := eq (toString (.root.Values.tensorflow | default dict).cluster) "sparse" -}}
{{- $peers := include "everything.name" (merge (dict "name" "peers") .) -}}
labels: {tensorflow.org: "", job_type: EVALUATOR, runtime_id: {{ .id | quote }},
  tf_job_name: {{ .root.Chart.Name | quote }}, task_index: {{ .index | quote }}}
env:
  - name: CHARTGEN_CLUSTER
    valueFrom:
      configMapKeyRef: {name: {{ $peers }}, key: {{ ternary "servers" "cluster" $sparse }}}
  - name: TF_CONFIG
    value: '{"cluster":$(CHARTGEN_CLUSTER),"task":{"type":"evaluator","index":{{ .index }}}}'
{{- if $sparse }}
volumes: [{name: chartgen-peers, configMap: {name: {{ $peers }}}}]
volumeMounts: [{name: chartgen-peers, mountPath: /etc/chartgen/peers}]
{{- end }}
{{- end -}}

{{/* The ConfigMaps that replicas share. */}}
{{- define "everything.configs" -}}
- name: peers
  data:
    cluster: {{ include "everything.peers" (list . "json" "chief" "ps" "worker") | toJson }}
    servers: {{ include "everything.peers" (list . "json" "chief" "ps") | toJson }}
    servers-before-worker: {{ include "everything.peers" (list . "members" "chief" "ps") | toJson }}
    hosts: {{ include "everything.peers" (list . "lines" "chief" "ps" "worker") | toJson }}
{{- if include "everything.starts" (dict "root" .root "role" "ps") }}
- name: cm-ps
  data:
    grpc_tensorflow_server.py: {{ .root.Files.Get "files/grpc_tensorflow_server.py" | toJson }}
    cluster-spec: {{ include "everything.peers" (list . "spec" "chief" "ps" "worker") | toJson }}
{{- end }}
{{- end -}}

{{/* Labels for TensorBoard. */}}
{{- define "everything.tensorboardLabels" -}}
tensorflow.org: ""
runtime_id: {{ .id | quote }}
tf_job_name: {{ .root.Chart.Name | quote }}
{{- end -}}
