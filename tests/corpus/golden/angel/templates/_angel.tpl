{{/* What Angel adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "ctr.plan" -}}
framework: Angel
decides: {role: client, all: false}
peersHint: ""
roles:
  client: {container: angel, replicas: 1, command: true, api: true, once: true}
  master: {container: angel, portName: master-rpc-port, noJobs: true}
  ps: {container: angel, noJobs: true}
  worker: {container: angel, noJobs: true}
notes:
  - |-
    The client creates the master's pod, and the master those of parameter servers and workers.
    The label angel-role tells them apart. They are removed with the release.
  - "If the master waits for workers forever, the data has fewer splits than there are workers."
{{- end -}}

{{/* What it adds to the replicas of client. */}}
{{- define "ctr.role.client" -}}
{{- $angel := .root.Values.angel | default dict -}}
command: [/opt/entrypoint.sh]
args:
  {{- range include "ctr.angelSubmit" . | fromJsonArray }}
  - {{ toJson . }}
  {{- end }}
volumes:
  {{- if include "ctr.option" (dict "value" $angel.hadoop) }}
  - {name: hadoop, configMap: {name: {{ include "ctr.name"
    (merge (dict "name" "hadoop") .) }}}}
  {{- end }}
  {{- if include "ctr.option" (dict "value" $angel.hadoopConfigMap) }}
  - name: hadoop-config-map
    configMap:
      {{- with include "ctr.option" (dict "value" $angel.hadoopConfigMap) }}
      name: {{ toJson (toString .) }}
      {{- end }}
  {{- end }}
volumeMounts:
  {{- if include "ctr.option" (dict "value" $angel.hadoop) }}
  - {name: hadoop, mountPath: /etc/hadoop/conf}
  {{- end }}
  {{- if include "ctr.option" (dict "value" $angel.hadoopConfigMap) }}
  - {name: hadoop-config-map, mountPath: /etc/hadoop/conf}
  {{- end }}
{{- end -}}

{{/* What it adds to the replicas of master. */}}
{{- define "ctr.role.master" -}}
{}
{{- end -}}

{{/* What it adds to the replicas of ps. */}}
{{- define "ctr.role.ps" -}}
{}
{{- end -}}

{{/* What it adds to the replicas of worker. */}}
{{- define "ctr.role.worker" -}}
{}
{{- end -}}

{{/* The ConfigMaps that replicas share. */}}
{{- define "ctr.configs" -}}
{{- $angel := .root.Values.angel | default dict -}}
{{- if $angel.hadoop }}
- name: hadoop
  data:
    {{- range $key, $text := $angel.hadoop }}
    {{ toJson $key }}: {{ include "ctr.text" $text | toJson }}
    {{- end }}
{{- end }}
{{- end -}}

{{/* What pods that use the API may do. */}}
{{- define "ctr.rules" -}}
- apiGroups: [""]
  resources: [pods]
  verbs: [create, get, list, watch, delete]
- apiGroups: [""]
  resources: [configmaps]
  verbs: [create, get]
{{- end -}}

{{/* What selects pods created at run time. */}}
{{- define "ctr.unmanaged" -}}
{{ printf "app.kubernetes.io/instance=%v,angel-role" .root.Release.Name }}
{{- end -}}

{{/* Angel needs none of these. */}}
{{- define "ctr.tensorboardLabels" -}}{}{{- end -}}
