{{/*
A role's pod, as YAML with holes. It is read back as data, to be completed and hashed. Takes (dict
"root" $ "plan" PLAN "role" ROLE "who" WHO "spec" SPEC "framework" PARTS "last" NAMES "id" MARK
"index" MARK), where SPEC is the role's fields merged over the job's, PARTS is what the framework
adds, with the variables NAMES, and marks are placeholders for the runtime id and the index.
*/}}
{{- define "chartgen.pod" -}}
{{- $role := get .plan.roles .role -}}
metadata:
  labels: {{ mergeOverwrite (deepCopy (.spec.labels | default dict))
    (include "chartgen.podLabels" . | fromYaml) (.framework.labels | default dict)
    | include "chartgen.textMap" }}
  {{- with .spec.annotations }}
  annotations: {{ include "chartgen.textMap" . }}
  {{- end }}
spec:
  restartPolicy: {{ .spec.restartPolicy | default "OnFailure" | toJson }}
  enableServiceLinks: false
{{- /* only api */}}
  {{- $account := include "chartgen.account" . }}
  {{- if or .spec.serviceAccountName (ne $account "default") }}
  serviceAccountName: {{ $account | toJson }}
  {{- else if not (or (include "chartgen.usesApi" .)
    (hasKey (.spec.pod | default dict) "automountServiceAccountToken")) }}
{{- /* end api */}}
{{- /* without api */}}
  {{- if .spec.serviceAccountName }}
  serviceAccountName: {{ .spec.serviceAccountName | toJson }}
  {{- else if not (hasKey (.spec.pod | default dict) "automountServiceAccountToken") }}
{{- /* end api */}}
  automountServiceAccountToken: false
  {{- end }}
{{- /* only fields */}}
  {{- range $key, $value := mergeOverwrite (.framework.pod | default dict)
    (.spec.pod | default dict) }}
{{- /* end fields */}}
{{- /* without fields */}}
  {{- range $key, $value := .spec.pod }}
{{- /* end fields */}}
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
  {{- with concat (.spec.volumes | default list) (.framework.volumes | default list) }}
  volumes: {{ toJson . }}
  {{- end }}
  {{- $before := list }}{{- $native := list }}{{- $beside := list }}
  {{- range .spec.initContainers }}
    {{- $before = append $before (empty .restartPolicy | ternary (omit . "restartPolicy") .) }}
  {{- end }}
  {{- range .spec.sidecars }}
    {{- $policy := hasKey . "restartPolicy" | ternary .restartPolicy "Always" }}
    {{- if eq $policy "Always" }}{{ $native = append $native (set . "restartPolicy" $policy) }}
    {{- else }}
      {{- $beside = append $beside (empty $policy | ternary (omit . "restartPolicy") .) }}
    {{- end }}
  {{- end }}
{{- /* only waits */}}
  {{- with concat $before $native (.framework.waits | default list) }}
{{- /* end waits */}}
{{- /* without waits */}}
  {{- with concat $before $native }}
{{- /* end waits */}}
  initContainers: {{ toJson . }}
  {{- end }}
  containers:
    - name: {{ $role.container }}
      image: {{ required (printf "%s.image or image must be set" .who) .spec.image | toJson }}
{{- /* only fields */}}
      {{- $fields := .framework.fields | default dict }}
      {{- range $key, $value := .spec.container }}{{ $_ := set $fields $key $value }}{{ end }}
      {{- range $key, $value := $fields }}
{{- /* end fields */}}
{{- /* without fields */}}
      {{- range $key, $value := .spec.container }}
{{- /* end fields */}}
      {{ toJson $key }}: {{ toJson $value }}
      {{- end }}
      {{- with .spec.command | default .framework.command }}
      command: {{ include "chartgen.texts" . }}
      {{- end }}
      {{- with concat (.framework.args | default list) (.spec.args | default list) }}
      args: {{ include "chartgen.texts" . }}
      {{- end }}
      {{- range $key := list "imagePullPolicy" "workingDir" "envFrom" "resources"
        "securityContext" }}
      {{- with get $.spec $key }}
      {{ $key }}: {{ toJson . }}
      {{- end }}
      {{- end }}
      {{- with include "chartgen.ports" (dict "spec" .spec "portName" $role.portName) }}
      ports: {{ . }}
      {{- end }}
      {{- with concat (.spec.volumeMounts | default list)
        (.framework.volumeMounts | default list) }}
      volumeMounts: {{ toJson . }}
      {{- end }}
      {{- if or .spec.env .framework.env }}
      env:
        {{- include "chartgen.env" (dict "who" .who "env" .spec.env "last" .last) | nindent 8 }}
        {{- range .framework.env }}{{ if has .name $.last }}
        - {{ toJson . }}
        {{- end }}{{ end }}
      {{- end }}
    {{- range $beside }}
    - {{ toJson . }}
    {{- end }}
{{- end -}}

{{/* The framework's port, unless the role lists that number itself, and the role's own ports. */}}
{{- define "chartgen.ports" -}}
{{- $ports := list }}
{{- $mine := .portName }}
{{- range .spec.ports }}
  {{- if eq (int .containerPort) (int $.spec.port) }}{{ $mine = "" }}{{ end }}
  {{- $ports = append $ports . }}
{{- end }}
{{- if $mine }}
  {{- $ports = prepend $ports (dict "name" $mine "containerPort" (int .spec.port)) }}
{{- end }}
{{- if $ports }}{{ toJson $ports }}{{ end }}
{{- end -}}
