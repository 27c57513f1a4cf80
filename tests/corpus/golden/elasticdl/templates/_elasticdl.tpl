{{/* What ElasticDL adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "hello-world.plan" -}}
framework: ElasticDL
decides: {role: master, all: false}
peersHint: ""
roles:
  master: {container: elasticdl, portName: master, replicas: 1, service: true, command: true}
  worker: {container: elasticdl, replicas: 2, command: true}
hosts: {config: peers, roles: [master]}
{{- end -}}

{{/* What it adds to the replicas of master. */}}
{{- define "hello-world.role.master" -}}
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
  {{- range include "hello-world.elasticdlMaster" . | fromJsonArray }}
  - {{ toJson . }}
  {{- end }}
{{- if .root.Values.tensorboard }}
volumes:
  - {name: chartgen-start, configMap: {name: {{ include "hello-world.name"
    (merge (dict "name" "start") .) }}}}
volumeMounts: [{name: chartgen-start, mountPath: /etc/chartgen/start}]
{{- end }}
{{- end -}}

{{/* What it adds to the replicas of worker. */}}
{{- define "hello-world.role.worker" -}}
command: [python]
labels: {app: elasticdl, elasticdl_job_name: {{ .root.Release.Name | quote }}}
args:
  - /etc/chartgen/start/worker.py
  {{- range include "hello-world.elasticdlWorker" . | fromJsonArray }}
  - {{ toJson . }}
  {{- end }}
volumes:
  - {name: chartgen-start, configMap: {name: {{ include "hello-world.name"
    (merge (dict "name" "start") .) }}}}
volumeMounts: [{name: chartgen-start, mountPath: /etc/chartgen/start}]
waits:
  - name: wait-for-master
    env:
      - name: HOSTS
        value: '{{ include "hello-world.replicaName" (dict "root" .root "id" .id "role" "master" "index" 0) }} {{ include "hello-world.port" (dict "root" .root "role" "master" "number" 0) }}'
{{- end -}}

{{/* The ConfigMaps that replicas share. */}}
{{- define "hello-world.configs" -}}
- name: peers
  data:
    hosts: {{ include "hello-world.peers" (list . "lines" "master") | toJson }}
- name: start
  data:
    worker.py: {{ .root.Files.Get "files/elasticdl_worker.py" | toJson }}
    {{- if .root.Values.tensorboard }}
    master.py: {{ .root.Files.Get "files/elasticdl_master.py" | toJson }}
    {{- end }}
{{- end -}}

{{/* Labels for TensorBoard. */}}
{{- define "hello-world.tensorboardLabels" -}}
elasticdl_job_name: {{ .root.Release.Name | quote }}
{{- end -}}
