{{/* What TensorFlow adds: its part of each role's pod, and the config that the pods share. */}}

{{/* One role's part: (dict "root" $ "role" ROLE "spec" SPEC "id" ID "index" INDEX). */}}
{{- define "smoke.framework" -}}
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
  - {name: CHARTGEN_CLUSTER, valueFrom: {configMapKeyRef: {name: '{{ include "smoke.name" (dict "root" .root "id" .id "name" "peers") }}', key: 'cluster'}}}
  - {name: TF_CONFIG, value: '{"cluster":$(CHARTGEN_CLUSTER),"task":{"type":"chief","index":{{ .index }}}}'}
{{- end }}
{{- end -}}

{{/* The shared config, as ConfigMaps, or with "brief" what the runtime id must know of it: (dict "root" $ "id" ID "brief" BOOL). */}}
{{- define "smoke.config" -}}
{{- include "smoke.configMap" (merge (dict "name" "peers" "data" (include "smoke.config.peers" .)) .) }}
{{- end -}}

{{- define "smoke.config.peers" -}}
cluster: '{{ if eq .root.Values.tensorflow.cluster "sparse" }}{{ include "smoke.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "chief") "form" "json") }}{{ else }}{{ include "smoke.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "chief") "form" "json") }}{{ end }}'
servers: '{{ include "smoke.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "chief") "form" "members") }}'
cluster-spec: '{{ if eq .root.Values.tensorflow.cluster "sparse" }}{{ include "smoke.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "chief") "form" "spec") }}{{ else }}{{ include "smoke.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "chief") "form" "spec") }}{{ end }}'
hosts: |-
  {{- include "smoke.peers" (dict "root" .root "id" .id "brief" .brief "roles" (list "chief") "form" "lines") | nindent 2 }}
{{- end -}}

{{/* The role whose replica 0 decides how the job ends. */}}
{{- define "smoke.decides" -}}chief{{- end -}}

{{/* What to do when the list of peers is too long. */}}
{{- define "smoke.peersHint" -}}with tensorflow.cluster: sparse a replica sees only the chief, the ps and itself{{- end -}}
