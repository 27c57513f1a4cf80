{{/* What TensorFlow adds: its part of each role's pod, and the config that the pods share. */}}

{{/* One role's part: (dict "root" $ "role" ROLE "spec" SPEC "id" ID "index" INDEX). */}}
{{- define "safe.framework" -}}
{{- if eq .role "chief" }}
container: tensorflow
portName: tf-port
service: true
labels:
  tensorflow.org: ''
  job_type: 'CHIEF'
  runtime_id: '{{ .id }}'
  tf_job_name: '{{ .root.Chart.Name }}'
  task_index: '{{ .index }}'
env:
  - {name: CHARTGEN_CLUSTER, valueFrom: {configMapKeyRef: {name: '{{ include "safe.name" (dict "root" .root "id" .id "name" "peers") }}', key: 'cluster'}}}
  - {name: TF_CONFIG, value: '{"cluster":$(CHARTGEN_CLUSTER),"task":{"type":"chief","index":{{ .index }}}}'}
{{- else if eq .role "ps" }}
container: tensorflow
portName: tf-port
service: true
labels:
  tensorflow.org: ''
  job_type: 'PS'
  runtime_id: '{{ .id }}'
  tf_job_name: '{{ .root.Chart.Name }}'
  task_index: '{{ .index }}'
env:
  - {name: CHARTGEN_CLUSTER, valueFrom: {configMapKeyRef: {name: '{{ include "safe.name" (dict "root" .root "id" .id "name" "peers") }}', key: 'cluster'}}}
  - {name: TF_CONFIG, value: '{"cluster":$(CHARTGEN_CLUSTER),"task":{"type":"ps","index":{{ .index }}}}'}
start:
  command:
    - 'python'
    - '/ps-server/grpc_tensorflow_server.py'
    - '--cluster_spec'
    - '$(CHARTGEN_CLUSTER_SPEC)'
    - '--job_name'
    - 'ps'
    - '--task_id'
    - '{{ .index }}'
  env:
    - {name: CHARTGEN_CLUSTER_SPEC, valueFrom: {configMapKeyRef: {name: '{{ include "safe.name" (dict "root" .root "id" .id "name" "peers") }}', key: 'cluster-spec'}}}
  volumes:
    - name: ps-config-volume
      configMap: {name: '{{ include "safe.name" (dict "root" .root "id" .id "name" "cm-ps") }}'}
  volumeMounts:
    - name: ps-config-volume
      mountPath: /ps-server
{{- end }}
{{- end -}}

{{/* The shared config, as ConfigMaps, or with "brief" what the runtime id must know of it: (dict "root" $ "id" ID "brief" BOOL). */}}
{{- define "safe.config" -}}
{{- include "safe.configMap" (merge (dict "name" "peers" "data" (include "safe.config.peers" .)) .) }}
{{- if include "safe.starts" (dict "root" .root "role" "ps") }}
{{- include "safe.configMap" (merge (dict "name" "cm-ps" "data" (include "safe.config.cm-ps" .)) .) }}
{{- end }}
{{- end -}}

{{- define "safe.config.peers" -}}
cluster: '{{ if eq .root.Values.tensorflow.cluster "sparse" }}{{ include "safe.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "chief" "ps") "form" "json") }}{{ else }}{{ include "safe.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "chief" "ps") "form" "json") }}{{ end }}'
servers: '{{ include "safe.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "chief" "ps") "form" "members") }}'
cluster-spec: '{{ if eq .root.Values.tensorflow.cluster "sparse" }}{{ include "safe.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "chief" "ps") "form" "spec") }}{{ else }}{{ include "safe.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "chief" "ps") "form" "spec") }}{{ end }}'
hosts: |-
  {{- include "safe.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "chief" "ps") "form" "lines") | nindent 2 }}
{{- end -}}

{{- define "safe.config.cm-ps" -}}
grpc_tensorflow_server.py: |
  {{- .root.Files.Get "files/grpc_tensorflow_server.py" | nindent 2 }}
{{- end -}}

{{/* The role whose replica 0 decides how the job ends. */}}
{{- define "safe.decides" -}}chief{{- end -}}

{{/* What to do when the list of peers is too long. */}}
{{- define "safe.peersHint" -}}with tensorflow.cluster: sparse a replica sees only the chief, the ps and itself{{- end -}}
