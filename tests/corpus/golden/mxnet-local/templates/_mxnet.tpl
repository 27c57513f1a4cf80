{{/* What MXNet adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "alone.plan" -}}
framework: MXNet
decides: {role: worker, all: true}
peersHint: ""
roles:
  worker: {container: mxnet, replicas: 1}
{{- end -}}

{{/* What it adds to the replicas of worker. */}}
{{- define "alone.role.worker" -}}
labels: {mxnet.mlkube.io: "", job_type: WORKER, runtime_id: {{ .id | quote }},
  task_index: {{ .index | quote }}}
{{- end -}}

{{/* MXNet needs none of these. */}}
{{- define "alone.configs" -}}[]{{- end -}}
{{- define "alone.tensorboardLabels" -}}{}{{- end -}}
