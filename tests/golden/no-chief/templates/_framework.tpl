{{/* What TensorFlow adds: its part of each role's pod, and the config that the pods share. */}}

{{/* One role's part: (dict "root" $ "role" ROLE "spec" SPEC "id" ID "index" INDEX). */}}
{{- define "mirrored.framework" -}}
{{- if eq .role "worker" }}
container: tensorflow
portName: tf-port
service: true
labels:
  tensorflow.org: ''
  job_type: 'WORKER'
  runtime_id: '{{ .id }}'
  tf_job_name: '{{ .root.Chart.Name }}'
  task_index: '{{ .index }}'
env:
  - {name: CHARTGEN_CLUSTER, valueFrom: {configMapKeyRef: {name: '{{ include "mirrored.name" (dict "root" .root "id" .id "name" "peers") }}', key: '{{ if eq .root.Values.tensorflow.cluster "sparse" }}servers{{ else }}cluster{{ end }}'}}}
  - {name: TF_CONFIG, value: '{{ if eq .root.Values.tensorflow.cluster "sparse" }}{"cluster":{$(CHARTGEN_CLUSTER)"worker":{"{{ .index }}":"{{ include "mirrored.replicaName" (dict "root" .root "id" .id "role" "worker" "index" .index) }}:{{ int .spec.port }}"}},"task":{"type":"worker","index":{{ .index }}}}{{ else }}{"cluster":$(CHARTGEN_CLUSTER),"task":{"type":"worker","index":{{ .index }}}}{{ end }}'}
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
  - {name: CHARTGEN_CLUSTER, valueFrom: {configMapKeyRef: {name: '{{ include "mirrored.name" (dict "root" .root "id" .id "name" "peers") }}', key: 'cluster'}}}
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
    - {name: CHARTGEN_CLUSTER_SPEC, valueFrom: {configMapKeyRef: {name: '{{ include "mirrored.name" (dict "root" .root "id" .id "name" "peers") }}', key: 'cluster-spec'}}}
  volumes:
    - name: ps-config-volume
      configMap: {name: '{{ include "mirrored.name" (dict "root" .root "id" .id "name" "cm-ps") }}'}
  volumeMounts:
    - name: ps-config-volume
      mountPath: /ps-server
{{- else if eq .role "evaluator" }}
container: tensorflow
portName: tf-port
service: false
labels:
  tensorflow.org: ''
  job_type: 'EVALUATOR'
  runtime_id: '{{ .id }}'
  tf_job_name: '{{ .root.Chart.Name }}'
  task_index: '{{ .index }}'
env:
  - {name: CHARTGEN_CLUSTER, valueFrom: {configMapKeyRef: {name: '{{ include "mirrored.name" (dict "root" .root "id" .id "name" "peers") }}', key: 'cluster'}}}
  - {name: TF_CONFIG, value: '{"cluster":$(CHARTGEN_CLUSTER),"task":{"type":"evaluator","index":{{ .index }}}}'}
{{- end }}
{{- end -}}

{{/* The shared config, as ConfigMaps, or with "brief" what the runtime id must know of it: (dict "root" $ "id" ID "brief" BOOL). */}}
{{- define "mirrored.config" -}}
{{- include "mirrored.configMap" (merge (dict "name" "peers" "data" (include "mirrored.config.peers" .)) .) }}
{{- if include "mirrored.starts" (dict "root" .root "role" "ps") }}
{{- include "mirrored.configMap" (merge (dict "name" "cm-ps" "data" (include "mirrored.config.cm-ps" .)) .) }}
{{- end }}
{{- end -}}

{{- define "mirrored.config.peers" -}}
cluster: '{{ if eq .root.Values.tensorflow.cluster "sparse" }}{{ include "mirrored.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "ps") "form" "json") }}{{ else }}{{ include "mirrored.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "ps" "worker") "form" "json") }}{{ end }}'
servers: '{{ include "mirrored.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "ps") "form" "members") }}'
cluster-spec: '{{ if eq .root.Values.tensorflow.cluster "sparse" }}{{ include "mirrored.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "ps") "form" "spec") }}{{ else }}{{ include "mirrored.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "ps" "worker") "form" "spec") }}{{ end }}'
hosts: |-
  {{- include "mirrored.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "ps" "worker") "form" "lines") | nindent 2 }}
{{- end -}}

{{- define "mirrored.config.cm-ps" -}}
grpc_tensorflow_server.py: |
  {{- .root.Files.Get "files/grpc_tensorflow_server.py" | nindent 2 }}
{{- end -}}

{{/* The role whose replica 0 decides how the job ends. */}}
{{- define "mirrored.decides" -}}worker{{- end -}}

{{/* What to do when the list of peers is too long. */}}
{{- define "mirrored.peersHint" -}}with tensorflow.cluster: sparse a replica sees only the chief, the ps and itself{{- end -}}
