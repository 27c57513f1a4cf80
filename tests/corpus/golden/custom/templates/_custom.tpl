{{/* What Custom adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "primes.plan" -}}
framework: Custom
decides: {role: driver, all: true}
peersHint: "write the list into a file of custom.files, which can hold 1 MiB"
notation: true
roles:
  scheduler: {container: main, portName: main, replicas: 1, service: true, serves: true}
  worker: {container: main, portName: main, rankAfter: scheduler, replicas: 3, service: true,
    serves: true}
  driver: {container: main, rankAfter: "scheduler worker", replicas: 1}
hosts: {config: peers, roles: [scheduler, worker]}
{{- end -}}

{{/* What it adds to the replicas of scheduler. */}}
{{- define "primes.role.scheduler" -}}
{{- $custom := .root.Values.custom | default dict -}}
{{- if include "primes.option" (dict "value" $custom.files) }}
volumes:
  - {name: chartgen-files, configMap: {name: {{ include "primes.name"
    (merge (dict "name" "files") .) }}}}
volumeMounts: [{name: chartgen-files, mountPath: /etc/custom}]
{{- end }}
{{- end -}}

{{/* What it adds to the replicas of worker. */}}
{{- define "primes.role.worker" -}}
{{- $custom := .root.Values.custom | default dict -}}
{{- if include "primes.option" (dict "value" $custom.files) }}
volumes:
  - {name: chartgen-files, configMap: {name: {{ include "primes.name"
    (merge (dict "name" "files") .) }}}}
volumeMounts: [{name: chartgen-files, mountPath: /etc/custom}]
{{- end }}
{{- end -}}

{{/* What it adds to the replicas of driver. */}}
{{- define "primes.role.driver" -}}
{{- $custom := .root.Values.custom | default dict -}}
{{- if include "primes.option" (dict "value" $custom.files) }}
volumes:
  - {name: chartgen-files, configMap: {name: {{ include "primes.name"
    (merge (dict "name" "files") .) }}}}
volumeMounts: [{name: chartgen-files, mountPath: /etc/custom}]
{{- end }}
{{- end -}}

{{/* The ConfigMaps that replicas share. */}}
{{- define "primes.configs" -}}
{{- $custom := .root.Values.custom | default dict -}}
- name: peers
  data:
    hosts: {{ include "primes.peers" (list . "lines" "scheduler" "worker") | toJson }}
{{- if $custom.files }}
- name: files
  data:
    {{- range $key, $text := $custom.files }}
    {{- $who := printf "custom.files.%s" $key }}
    {{ toJson $key }}: {{ include "primes.fill"
      (merge (dict "text" (include "primes.text" $text) "who" $who) $) | toJson }}
    {{- end }}
{{- end }}
{{- end -}}

{{/* Custom needs none of these. */}}
{{- define "primes.tensorboardLabels" -}}{}{{- end -}}
