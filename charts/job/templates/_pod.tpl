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
  {{- $account := include "chartgen.account" . }}
  {{- if or .spec.serviceAccountName (ne $account "default") }}
  serviceAccountName: {{ $account | toJson }}
  {{- else if not (or (include "chartgen.asksApi" .) (hasKey (.spec.pod | default dict) "automountServiceAccountToken")) }}
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
  {{- $before := list }}{{- $native := list }}{{- $beside := list }}
  {{- range .spec.initContainers }}{{ $before = append $before (empty .restartPolicy | ternary (omit . "restartPolicy") .) }}{{ end }}
  {{- range .spec.sidecars }}
    {{- $policy := hasKey . "restartPolicy" | ternary .restartPolicy "Always" }}
    {{- if eq $policy "Always" }}{{ $native = append $native (set . "restartPolicy" $policy) }}
    {{- else }}{{ $beside = append $beside (empty $policy | ternary (omit . "restartPolicy") .) }}{{ end }}
  {{- end }}
  {{- with concat $before $native $framework.waits }}
  initContainers: {{ toJson . }}
  {{- end }}
  containers:
    - name: {{ $framework.container }}
      image: {{ required (printf "roles.%s.image or image must be set" .role) .spec.image | toJson }}
      {{- $fields := $framework.fields }}
      {{- range $key, $value := .spec.container }}{{ $_ := set $fields $key $value }}{{ end }}
      {{- range $key, $value := $fields }}
      {{ toJson $key }}: {{ toJson $value }}
      {{- end }}
      {{- with .spec.command | default $framework.command }}
      command: {{ include "chartgen.texts" . }}
      {{- end }}
      {{- with concat $framework.args (.spec.args | default list) }}
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
      {{- if or .spec.env $framework.env }}
      env:
        {{- include "chartgen.env" .spec.env | nindent 8 }}
        {{- range $framework.env }}
        {{- if not (hasKey ($.spec.env | default dict) .name) }}
        - {{ toJson . }}
        {{- end }}
        {{- end }}
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

{{/*
Env as a list: plain entries by name, then those that refer to others, each behind what it refers to, for Kubernetes resolves
$(NAME) backwards only.
*/}}
{{- define "chartgen.env" -}}
{{- $plain := list }}{{- $referring := list }}
{{- range $name, $value := . }}
  {{- if kindIs "map" $value }}
    {{- $plain = append $plain (merge (dict "name" $name) $value) }}
  {{- else if not (kindIs "invalid" $value) }}
    {{- $entry := dict "name" $name "value" (include "chartgen.text" $value) }}
    {{- $size := add (len $name) (len $entry.value) 2 | int }}
    {{- if gt $size 131072 }}{{ fail (printf "env: %s has %d bytes; Linux allows 131072 for one env string" $name $size) }}{{ end }}
    {{- if contains "$(" $entry.value }}{{ $referring = append $referring $entry }}{{ else }}{{ $plain = append $plain $entry }}{{ end }}
  {{- end }}
{{- end }}
{{- range concat $plain (include "chartgen.ordered" $referring | fromJsonArray) }}
- {{ toJson . }}
{{- end }}
{{- end -}}

{{/* Env entries as a JSON list, each behind those that it refers to, and by name as far as that goes. */}}
{{- define "chartgen.ordered" -}}
{{- $left := . }}{{- $ordered := list }}
{{- range . }}
  {{- $next := dict }}
  {{- range $entry := $left }}
    {{- if not $next }}
      {{- $text := replace "$$" "" $entry.value }}{{/* a doubled $ stands for one */}}
      {{- $waits := false }}
      {{- range $left }}{{ if and (ne .name $entry.name) (contains (printf "$(%s)" .name) $text) }}{{ $waits = true }}{{ end }}{{ end }}
      {{- if not $waits }}{{ $next = $entry }}{{ end }}
    {{- end }}
  {{- end }}
  {{- if not $next }}{{ fail (printf "env: %s refers to what refers back to it" (first $left).name) }}{{ end }}
  {{- $ordered = append $ordered $next }}
  {{- $left = without $left $next }}
{{- end }}
{{- toJson $ordered }}
{{- end -}}
