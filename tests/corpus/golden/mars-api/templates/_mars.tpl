{{/* What Mars adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "analysis.plan" -}}
framework: Mars
decides: {role: driver, all: false}
peersHint: ""
roles:
  scheduler: {container: mars, portName: mars, replicas: 1, service: true, command: true,
    api: true, serves: true}
  worker: {container: mars, portName: mars, replicas: 2, command: true, api: true,
    rescalable: true, serves: true}
  web: {container: mars, portName: mars, replicas: 1, service: true, command: true, serves: true}
  driver: {container: mars, replicas: 1, once: true}
hosts: {config: peers, roles: [scheduler]}
notes:
  - "Rescale only the workers: helm upgrade ... --reuse-values --set roles.worker.replicas=N"
{{- end -}}

{{/* The ConfigMaps that replicas share. */}}
{{- define "analysis.configs" -}}
{{- $mars := .root.Values.mars | default dict -}}
- name: peers
  data:
    hosts: {{ include "analysis.peers" (list . "lines" "scheduler") | toJson }}
    schedulers: {{ include "analysis.peers" (list . "list" "scheduler") | toJson }}
    workers: {{ include "analysis.count"
      (merge (dict "role" "worker" "atMost" $mars.minWorkers) .) | quote }}
{{- end -}}

{{/* What pods that use the API may do. */}}
{{- define "analysis.rules" -}}
{{- $mars := .root.Values.mars | default dict -}}
{{- if eq (toString $mars.discovery) "api" }}
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch]
{{- end }}
{{- end -}}

{{/* Services for all replicas of a role. */}}
{{- define "analysis.services" -}}
{{- $mars := .root.Values.mars | default dict -}}
- name: web
  role: web
  type: {{ include "analysis.option" (dict "value" $mars.serviceType) | toJson }}
  about: "the web UI, and the endpoint for sessions"
{{- end -}}

{{/* Mars needs none of these. */}}
{{- define "analysis.tensorboardLabels" -}}{}{{- end -}}
