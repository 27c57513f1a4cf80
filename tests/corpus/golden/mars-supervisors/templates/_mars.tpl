{{/* What Mars adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "analysis.plan" -}}
framework: Mars
decides: {role: driver, all: false}
peersHint: ""
roles:
  supervisor: {container: mars, portName: web, replicas: 1, service: true, command: true,
    serves: true}
  worker: {container: mars, portName: mars, replicas: 3, command: true, rescalable: true,
    serves: true}
  driver: {container: mars, replicas: 1, once: true}
hosts: {config: peers, roles: [supervisor]}
notes:
  - "Rescale only the workers: helm upgrade ... --reuse-values --set roles.worker.replicas=N"
{{- end -}}

{{/* The ConfigMaps that replicas share. */}}
{{- define "analysis.configs" -}}
{{- $mars := .root.Values.mars | default dict -}}
- name: peers
  data:
    hosts: {{ include "analysis.peers" (list . "lines" "supervisor") | toJson }}
    workers: {{ include "analysis.count"
      (merge (dict "role" "worker" "atMost" $mars.minWorkers) .) | quote }}
{{- if include "analysis.option" (dict "value" $mars.cacheMemory) }}
- name: storage
  data:
    config.yml: "\"@inherits\": \"@mars/deploy/oscar/base_config.yml\"\nstorage: {backends: [plasma]}\n"
{{- end }}
{{- end -}}

{{/* Services for all replicas of a role. */}}
{{- define "analysis.services" -}}
{{- $mars := .root.Values.mars | default dict -}}
- name: web
  role: supervisor
  type: {{ include "analysis.option" (dict "value" $mars.serviceType) | toJson }}
  about: "the web UI, and the endpoint for sessions"
{{- end -}}

{{/* Mars needs none of these. */}}
{{- define "analysis.tensorboardLabels" -}}{}{{- end -}}
