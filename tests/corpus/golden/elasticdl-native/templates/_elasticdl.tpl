{{/* What ElasticDL adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "predict.plan" -}}
framework: ElasticDL
decides: {role: master, all: false}
peersHint: ""
roles:
  master: {container: elasticdl, portName: master, replicas: 1, command: true, api: true,
    once: true}
  worker: {container: elasticdl, noJobs: true}
notes:
  - "The master creates the workers and replaces lost ones. They are removed with the release."
{{- end -}}

{{/* What it adds to the replicas of master. */}}
{{- define "predict.role.master" -}}
command: [python]
labels: {app: elasticdl, elasticdl_job_name: {{ .root.Release.Name | quote }}}
env:
  - {name: MY_POD_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
args:
  {{- if not .root.Values.tensorboard }}
  - "-m"
  - elasticdl.python.master.main
  {{- end }}
  {{- if .root.Values.tensorboard }}
  - /etc/chartgen/start/master.py
  {{- end }}
  {{- range include "predict.elasticdlMaster" . | fromJsonArray }}
  - {{ toJson . }}
  {{- end }}
  {{- range include "predict.elasticdlWorkers" . | fromJsonArray }}
  - {{ toJson . }}
  {{- end }}
{{- if .root.Values.tensorboard }}
volumes:
  - {name: chartgen-start, configMap: {name: {{ include "predict.name"
    (merge (dict "name" "start") .) }}}}
volumeMounts: [{name: chartgen-start, mountPath: /etc/chartgen/start}]
{{- end }}
{{- end -}}

{{/* What it adds to the replicas of worker. */}}
{{- define "predict.role.worker" -}}
labels: {app: elasticdl, elasticdl_job_name: {{ .root.Release.Name | quote }}}
{{- end -}}

{{/* The ConfigMaps that replicas share. */}}
{{- define "predict.configs" -}}
{{- if .root.Values.tensorboard }}
- name: start
  data:
    master.py: {{ .root.Files.Get "files/elasticdl_master.py" | toJson }}
{{- end }}
{{- end -}}

{{/* Labels for TensorBoard. */}}
{{- define "predict.tensorboardLabels" -}}
elasticdl_job_name: {{ .root.Release.Name | quote }}
{{- end -}}

{{/* What pods that use the API may do. */}}
{{- define "predict.rules" -}}
- apiGroups: [""]
  resources: [pods]
  verbs: [create, get, list, watch]
{{- end -}}

{{/* What selects pods created at run time. */}}
{{- define "predict.unmanaged" -}}
{{ printf "elasticdl_job_name=%v,!chartgen/runtime-id" .root.Release.Name }}
{{- end -}}

{{/* A name for one release in a namespace. */}}
{{- define "predict.lockName" -}}
{{ printf "elasticdl-%v" .root.Release.Name }}
{{- end -}}
