{{/* What TensorFlow adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "example-job.plan" -}}
framework: TensorFlow
decides: {role: master, all: false}
peersHint: "with tensorflow.cluster: sparse a replica sees only the chief, ps and itself"
roles:
  worker: {container: tensorflow, portName: tf-port, replicas: 3, service: true}
  ps: {container: tensorflow, portName: tf-port, replicas: 2, service: true, starts: true,
    serves: true}
  master: {container: tensorflow, portName: tf-port, replicas: 1, service: true}
hosts: {config: peers, roles: [master, ps, worker]}
{{- end -}}

{{/* What it adds to the replicas of worker. */}}
{{- define "example-job.role.worker" -}}
{{- $sparse := eq (toString (.root.Values.tensorflow | default dict).cluster) "sparse" -}}
{{- $peers := include "example-job.name" (merge (dict "name" "peers") .) -}}
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
    value: '{"cluster":{$(CHARTGEN_CLUSTER)"worker":{"{{ .index }}":"{{ include "example-job.replicaName" (merge (dict "role" "worker") .) }}:{{ int .spec.port }}"}},"task":{"type":"worker","index":{{ .index }}},"environment":"cloud"}'
    {{- else }}
    value: '{"cluster":$(CHARTGEN_CLUSTER),"task":{"type":"worker","index":{{ .index }}},"environment":"cloud"}'
    {{- end }}
{{- if $sparse }}
volumes: [{name: chartgen-peers, configMap: {name: {{ $peers }}}}]
volumeMounts: [{name: chartgen-peers, mountPath: /etc/chartgen/peers}]
{{- end }}
{{- end -}}

{{/* What it adds to the replicas of ps. */}}
{{- define "example-job.role.ps" -}}
{{- $starts := not (or (hasKey .spec "command") (hasKey .spec "args")) -}}
{{- $sparse := eq (toString (.root.Values.tensorflow | default dict).cluster) "sparse" -}}
{{- $peers := include "example-job.name" (merge (dict "name" "peers") .) -}}
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
    value: '{"cluster":$(CHARTGEN_CLUSTER),"task":{"type":"ps","index":{{ .index }}},"environment":"cloud"}'
volumes:
  {{- if $sparse }}
  - {name: chartgen-peers, configMap: {name: {{ $peers }}}}
  {{- end }}
  {{- if $starts }}
  - {name: ps-config-volume, configMap: {name: {{ include "example-job.name"
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

{{/* What it adds to the replicas of master. */}}
{{- define "example-job.role.master" -}}
{{- $sparse := eq (toString (.root.Values.tensorflow | default dict).cluster) "sparse" -}}
{{- $peers := include "example-job.name" (merge (dict "name" "peers") .) -}}
labels: {tensorflow.org: "", job_type: MASTER, runtime_id: {{ .id | quote }},
  tf_job_name: {{ .root.Chart.Name | quote }}, task_index: {{ .index | quote }}}
env:
  - name: CHARTGEN_CLUSTER
    valueFrom:
      configMapKeyRef: {name: {{ $peers }}, key: {{ ternary "servers" "cluster" $sparse }}}
  - name: TF_CONFIG
    value: '{"cluster":$(CHARTGEN_CLUSTER),"task":{"type":"master","index":{{ .index }}},"environment":"cloud"}'
{{- if $sparse }}
volumes: [{name: chartgen-peers, configMap: {name: {{ $peers }}}}]
volumeMounts: [{name: chartgen-peers, mountPath: /etc/chartgen/peers}]
{{- end }}
{{- end -}}

{{/* The ConfigMaps that replicas share. */}}
{{- define "example-job.configs" -}}
- name: peers
  data:
    cluster: {{ include "example-job.peers" (list . "json" "master" "ps" "worker") | toJson }}
    servers: {{ include "example-job.peers" (list . "json" "master" "ps") | toJson }}
    servers-before-worker: {{ include "example-job.peers" (list . "members" "master" "ps") | toJson }}
    hosts: {{ include "example-job.peers" (list . "lines" "master" "ps" "worker") | toJson }}
{{- if include "example-job.starts" (dict "root" .root "role" "ps") }}
- name: cm-ps
  data:
    grpc_tensorflow_server.py: {{ .root.Files.Get "files/grpc_tensorflow_server.py" | toJson }}
    cluster-spec: {{ include "example-job.peers" (list . "spec" "master" "ps" "worker") | toJson }}
{{- end }}
{{- end -}}

{{/* Labels for TensorBoard. */}}
{{- define "example-job.tensorboardLabels" -}}
tensorflow.org: ""
runtime_id: {{ .id | quote }}
tf_job_name: {{ .root.Chart.Name | quote }}
{{- end -}}
