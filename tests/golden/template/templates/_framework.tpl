{{/* What TensorFlow adds: its part of each role's pod, and the config that the pods share. */}}

{{/* One role's part: (dict "root" $ "role" ROLE "spec" SPEC "id" ID "index" INDEX). */}}
{{- define "templated.framework" -}}
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
  - {name: CHARTGEN_CLUSTER, valueFrom: {configMapKeyRef: {name: '{{ include "templated.name" (dict "root" .root "id" .id "name" "peers") }}', key: '{{ if eq .root.Values.tensorflow.cluster "sparse" }}servers{{ else }}cluster{{ end }}'}}}
  - {name: TF_CONFIG, value: '{{ if eq .root.Values.tensorflow.cluster "sparse" }}{"cluster":{$(CHARTGEN_CLUSTER)"worker":{"{{ .index }}":"{{ include "templated.replicaName" (dict "root" .root "id" .id "role" "worker" "index" .index) }}:{{ int .spec.port }}"}},"task":{"type":"worker","index":{{ .index }}}}{{ else }}{"cluster":$(CHARTGEN_CLUSTER),"task":{"type":"worker","index":{{ .index }}}}{{ end }}'}
{{- end }}
{{- end -}}

{{/* The shared config, as ConfigMaps, or with "brief" what the runtime id must know of it: (dict "root" $ "id" ID "brief" BOOL). */}}
{{- define "templated.config" -}}
{{- include "templated.configMap" (merge (dict "name" "peers" "data" (include "templated.config.peers" .)) .) }}
{{- end -}}

{{- define "templated.config.peers" -}}
cluster: '{{ if eq .root.Values.tensorflow.cluster "sparse" }}{{ include "templated.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list ) "form" "json") }}{{ else }}{{ include "templated.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "worker") "form" "json") }}{{ end }}'
servers: '{{ include "templated.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list ) "form" "members") }}'
cluster-spec: '{{ if eq .root.Values.tensorflow.cluster "sparse" }}{{ include "templated.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list ) "form" "spec") }}{{ else }}{{ include "templated.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "worker") "form" "spec") }}{{ end }}'
hosts: |-
  {{- include "templated.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "worker") "form" "lines") | nindent 2 }}
{{- end -}}

{{/* The role whose replica 0 decides how the job ends. */}}
{{- define "templated.decides" -}}worker{{- end -}}

{{/* What to do when the list of peers is too long. */}}
{{- define "templated.peersHint" -}}with tensorflow.cluster: sparse a replica sees only the chief, the ps and itself{{- end -}}
