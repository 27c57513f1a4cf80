{{/* What TensorFlow adds: its part of each role's pod, and the config that the pods share. */}}

{{/* One role's part: (dict "root" $ "role" ROLE "spec" SPEC "id" ID "index" INDEX). */}}
{{- define "example-job.framework" -}}
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
  - {name: CHARTGEN_CLUSTER, valueFrom: {configMapKeyRef: {name: '{{ include "example-job.name" (dict "root" .root "id" .id "name" "peers") }}', key: '{{ if eq .root.Values.tensorflow.cluster "sparse" }}servers{{ else }}cluster{{ end }}'}}}
  - {name: TF_CONFIG, value: '{{ if eq .root.Values.tensorflow.cluster "sparse" }}{"cluster":{$(CHARTGEN_CLUSTER)"worker":{"{{ .index }}":"{{ include "example-job.replicaName" (dict "root" .root "id" .id "role" "worker" "index" .index) }}:{{ int .spec.port }}"}},"task":{"type":"worker","index":{{ .index }}},"environment":"cloud"}{{ else }}{"cluster":$(CHARTGEN_CLUSTER),"task":{"type":"worker","index":{{ .index }}},"environment":"cloud"}{{ end }}'}
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
  - {name: CHARTGEN_CLUSTER, valueFrom: {configMapKeyRef: {name: '{{ include "example-job.name" (dict "root" .root "id" .id "name" "peers") }}', key: 'cluster'}}}
  - {name: TF_CONFIG, value: '{"cluster":$(CHARTGEN_CLUSTER),"task":{"type":"ps","index":{{ .index }}},"environment":"cloud"}'}
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
    - {name: CHARTGEN_CLUSTER_SPEC, valueFrom: {configMapKeyRef: {name: '{{ include "example-job.name" (dict "root" .root "id" .id "name" "peers") }}', key: 'cluster-spec'}}}
  volumes:
    - name: ps-config-volume
      configMap: {name: '{{ include "example-job.name" (dict "root" .root "id" .id "name" "cm-ps") }}'}
  volumeMounts:
    - name: ps-config-volume
      mountPath: /ps-server
{{- else if eq .role "master" }}
container: tensorflow
portName: tf-port
service: true
labels:
  tensorflow.org: ''
  job_type: 'MASTER'
  runtime_id: '{{ .id }}'
  tf_job_name: '{{ .root.Chart.Name }}'
  task_index: '{{ .index }}'
env:
  - {name: CHARTGEN_CLUSTER, valueFrom: {configMapKeyRef: {name: '{{ include "example-job.name" (dict "root" .root "id" .id "name" "peers") }}', key: 'cluster'}}}
  - {name: TF_CONFIG, value: '{"cluster":$(CHARTGEN_CLUSTER),"task":{"type":"master","index":{{ .index }}},"environment":"cloud"}'}
{{- end }}
{{- end -}}

{{/* The shared config, as ConfigMaps, or with "brief" what the runtime id must know of it: (dict "root" $ "id" ID "brief" BOOL). */}}
{{- define "example-job.config" -}}
{{- include "example-job.configMap" (merge (dict "name" "peers" "data" (include "example-job.config.peers" .)) .) }}
{{- if include "example-job.starts" (dict "root" .root "role" "ps") }}
{{- include "example-job.configMap" (merge (dict "name" "cm-ps" "data" (include "example-job.config.cm-ps" .)) .) }}
{{- end }}
{{- end -}}

{{- define "example-job.config.peers" -}}
cluster: '{{ if eq .root.Values.tensorflow.cluster "sparse" }}{{ include "example-job.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "master" "ps") "form" "json") }}{{ else }}{{ include "example-job.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "master" "ps" "worker") "form" "json") }}{{ end }}'
servers: '{{ include "example-job.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "master" "ps") "form" "members") }}'
cluster-spec: '{{ if eq .root.Values.tensorflow.cluster "sparse" }}{{ include "example-job.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "master" "ps") "form" "spec") }}{{ else }}{{ include "example-job.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "master" "ps" "worker") "form" "spec") }}{{ end }}'
hosts: |-
  {{- include "example-job.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "master" "ps" "worker") "form" "lines") | nindent 2 }}
{{- end -}}

{{- define "example-job.config.cm-ps" -}}
grpc_tensorflow_server.py: |
  {{- .root.Files.Get "files/grpc_tensorflow_server.py" | nindent 2 }}
{{- end -}}

{{/* The role whose replica 0 decides how the job ends. */}}
{{- define "example-job.decides" -}}master{{- end -}}

{{/* What to do when the list of peers is too long. */}}
{{- define "example-job.peersHint" -}}with tensorflow.cluster: sparse a replica sees only the chief, the ps and itself{{- end -}}
