{{/* What Mars adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "cluster.plan" -}}
framework: Mars
decides: {role: "", all: false}
peersHint: ""
roles:
  scheduler: {container: mars, portName: mars, replicas: 2, service: true, command: true,
    api: true, serves: true}
  worker: {container: mars, portName: mars, replicas: 2, command: true, api: true,
    rescalable: true, serves: true}
  web: {container: mars, portName: mars, replicas: 1, service: true, command: true, serves: true}
hosts: {config: peers, roles: [scheduler]}
notes:
  - "Use it from Python: new_session('http://HOST:PORT').as_default(), with the address above."
  - "Rescale only the workers: helm upgrade ... --reuse-values --set roles.worker.replicas=N"
{{- end -}}

{{/* The ConfigMaps that replicas share. */}}
{{- define "cluster.configs" -}}
- name: peers
  data:
    hosts: {{ include "cluster.peers" (list . "lines" "scheduler") | toJson }}
    schedulers: {{ include "cluster.peers" (list . "list" "scheduler") | toJson }}
{{- end -}}

{{/* What pods that use the API may do. */}}
{{- define "cluster.rules" -}}
{{- $mars := .root.Values.mars | default dict -}}
{{- if eq (toString $mars.discovery) "api" }}
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch]
{{- end }}
{{- end -}}

{{/* Services for all replicas of a role. */}}
{{- define "cluster.services" -}}
{{- $mars := .root.Values.mars | default dict -}}
- name: web
  role: web
  type: {{ include "cluster.option" (dict "value" $mars.serviceType) | toJson }}
  about: "the web UI, and the endpoint for sessions"
{{- end -}}

{{/* Mars needs none of these. */}}
{{- define "cluster.tensorboardLabels" -}}{}{{- end -}}
