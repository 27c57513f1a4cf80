{{/* A role's pod, as ordinary YAML with holes. It is read back as data, so that what follows can be filled in and hashed. */}}

{{/*
The pod template of one role: (dict "root" $ "role" ROLE "spec" SPEC "id" MARK "index" MARK), where SPEC is the role's fields
over the job-wide ones and the marks stand where the runtime id and the index go.
*/}}
{{- define "chartgen.pod" -}}
{{- $framework := include "chartgen.framework" . | fromJson -}}
metadata:
  labels: {{ mergeOverwrite (deepCopy (.spec.labels | default dict)) (include "chartgen.podLabels" . | fromYaml) $framework.labels | include "chartgen.textMap" }}
  {{- with .spec.annotations }}
  annotations: {{ include "chartgen.textMap" . }}
  {{- end }}
spec:
  restartPolicy: {{ .spec.restartPolicy | toJson }}
  enableServiceLinks: false
  {{- if .spec.serviceAccountName }}
  serviceAccountName: {{ .spec.serviceAccountName | toJson }}
  {{- else if not (hasKey (.spec.pod | default dict) "automountServiceAccountToken") }}
  automountServiceAccountToken: false
  {{- end }}
  {{- range $key, $value := .spec.pod }}
  {{ toJson $key }}: {{ toJson $value }}
  {{- end }}
  {{- with .spec.nodeSelector }}
  nodeSelector: {{ include "chartgen.textMap" . }}
  {{- end }}
  {{- range $key := list "tolerations" "affinity" "priorityClassName" "imagePullSecrets" }}
  {{- with get $.spec $key }}
  {{ $key }}: {{ toJson . }}
  {{- end }}
  {{- end }}
  {{- with .spec.podSecurityContext }}
  securityContext: {{ toJson . }}
  {{- end }}
  {{- with concat (.spec.volumes | default list) $framework.volumes }}
  volumes: {{ toJson . }}
  {{- end }}
  {{- $native := list }}{{- $beside := list }}
  {{- range .spec.sidecars }}
    {{- if eq (.restartPolicy | default "") "Always" }}{{ $native = append $native . }}{{ else }}{{ $beside = append $beside . }}{{ end }}
  {{- end }}
  {{- with concat (.spec.initContainers | default list) $native }}
  initContainers: {{ toJson . }}
  {{- end }}
  containers:
    - name: {{ $framework.container }}
      image: {{ required (printf "roles.%s.image or image must be set" .role) .spec.image | toJson }}
      {{- range $key, $value := .spec.container }}
      {{ toJson $key }}: {{ toJson $value }}
      {{- end }}
      {{- with .spec.command | default $framework.command }}
      command: {{ include "chartgen.texts" . }}
      {{- end }}
      {{- with .spec.args }}
      args: {{ include "chartgen.texts" . }}
      {{- end }}
      {{- range $key := list "imagePullPolicy" "workingDir" "envFrom" "resources" "securityContext" }}
      {{- with get $.spec $key }}
      {{ $key }}: {{ toJson . }}
      {{- end }}
      {{- end }}
      {{- with include "chartgen.ports" (dict "spec" .spec "framework" $framework) }}
      ports: {{ . }}
      {{- end }}
      {{- with concat (.spec.volumeMounts | default list) $framework.volumeMounts }}
      volumeMounts: {{ toJson . }}
      {{- end }}
      env:
        {{- include "chartgen.env" .spec.env | nindent 8 }}
        {{- range $framework.env }}
        - {{ toJson . }}
        {{- end }}
    {{- range $beside }}
    - {{ toJson . }}
    {{- end }}
{{- end -}}

{{/* A list of scalars as a JSON list of strings. */}}
{{- define "chartgen.texts" -}}
{{- $texts := list }}{{- range . }}{{ $texts = append $texts (include "chartgen.text" .) }}{{ end }}{{ toJson $texts }}
{{- end -}}

{{/* A map of scalars as a JSON map of strings. */}}
{{- define "chartgen.textMap" -}}
{{- $texts := dict }}{{- range $key, $value := . }}{{ $_ := set $texts $key (include "chartgen.text" $value) }}{{ end }}{{ toJson $texts }}
{{- end -}}

{{/* Labels of a pod: stable ones only, for they are hashed into the runtime id. */}}
{{- define "chartgen.podLabels" -}}
{{ include "chartgen.selectorLabels" . }}
app.kubernetes.io/component: {{ .role }}
chartgen/role: {{ .role }}
chartgen/index: {{ .index | quote }}
{{- end -}}

{{/* The framework's port, unless the role lists that number itself, and the role's own. */}}
{{- define "chartgen.ports" -}}
{{- $ports := list }}
{{- $mine := .framework.portName }}
{{- range .spec.ports }}
  {{- if eq (int .containerPort) (int $.spec.port) }}{{ $mine = "" }}{{ end }}
  {{- $ports = append $ports . }}
{{- end }}
{{- if $mine }}{{ $ports = prepend $ports (dict "name" $mine "containerPort" (int .spec.port)) }}{{ end }}
{{- if $ports }}{{ toJson $ports }}{{ end }}
{{- end -}}

{{/* Env as a list: plain entries first, then those that refer to others, for Kubernetes resolves $(NAME) backwards only. */}}
{{- define "chartgen.env" -}}
{{- $plain := list }}{{- $referring := list }}
{{- range $name, $value := . }}
  {{- if kindIs "map" $value }}
    {{- $plain = append $plain (merge (dict "name" $name) $value) }}
  {{- else if not (kindIs "invalid" $value) }}
    {{- $entry := dict "name" $name "value" (include "chartgen.text" $value) }}
    {{- if contains "$(" $entry.value }}{{ $referring = append $referring $entry }}{{ else }}{{ $plain = append $plain $entry }}{{ end }}
  {{- end }}
{{- end }}
{{- range concat $plain $referring }}
- {{ toJson . }}
{{- end }}
{{- end -}}
