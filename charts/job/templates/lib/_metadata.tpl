{{/*
Metadata of objects. Names have the prefix and the runtime id, so that two releases never collide.
*/}}

{{/* The name of an object that exists once. Takes (dict "root" $ "id" ID "name" "peers"). */}}
{{- define "chartgen.name" -}}
{{- printf "%s%s-%s" (.root.Values.namePrefix | default "") .name .id
  | include "chartgen.checkLength" -}}
{{- end -}}

{{/*
The name of a replica's Job and Service. Takes (dict "root" $ "id" ID "role" ROLE "index" INDEX).
*/}}
{{- define "chartgen.replicaName" -}}
{{- printf "%s%s-%s-%s" (.root.Values.namePrefix | default "") .role .id (toString .index) -}}
{{- end -}}

{{/*
Refuses a name that is too long for a DNS label. The length of a name with a mark in it is not known
yet.
*/}}
{{- define "chartgen.checkLength" -}}
{{- if and (gt (len .) 63) (not (contains "@" .)) }}
  {{- fail (print "the name " . " has " (len .) " characters; Kubernetes allows 63: "
    "shorten namePrefix or runtimeId") }}
{{- end }}
{{- . -}}
{{- end -}}

{{/* What selects all pods of this release. Takes (dict "root" $ "id" ID). */}}
{{- define "chartgen.selectorLabels" -}}
app.kubernetes.io/name: {{ .root.Chart.Name | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
chartgen/runtime-id: {{ .id | quote }}
{{- end -}}

{{/* The selector of this release's objects. Takes (dict "root" $ "id" ID). */}}
{{- define "chartgen.selector" -}}
app.kubernetes.io/instance={{ .root.Release.Name }},chartgen/runtime-id={{ .id }}
{{- end -}}

{{/* Labels of a pod: only stable ones, because they are in the runtime id's hash. */}}
{{- define "chartgen.podLabels" -}}
{{ include "chartgen.selectorLabels" . }}
app.kubernetes.io/component: {{ .role }}
chartgen/role: {{ .role }}
chartgen/index: {{ .index | quote }}
{{- end -}}

{{/*
Metadata of an object. Takes (dict "root" $ "id" ID "name" NAME); "component" is another word for
its label, "fullName" a name without prefix and id, and "hook" the annotations of a Helm hook.
*/}}
{{- define "chartgen.metadata" -}}
name: {{ .fullName | default (include "chartgen.name" .) }}
labels:
  {{- include "chartgen.objectLabels" . | nindent 2 }}
{{- include "chartgen.annotations" . }}
{{- end -}}

{{/* Labels of an object. Pods have no chart version, because it would rename every Job. */}}
{{- define "chartgen.objectLabels" -}}
{{- $own := include "chartgen.ownLabels" . }}
{{- $own }}
{{- range $key, $text := .root.Values.commonLabels }}{{ if not (hasKey (fromYaml $own) $key) }}
{{ toJson $key }}: {{ include "chartgen.text" $text | toJson }}
{{- end }}{{ end }}
{{- end -}}

{{- define "chartgen.ownLabels" -}}
{{ include "chartgen.selectorLabels" . }}
app.kubernetes.io/component: {{ .component | default .name }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63
  | trimSuffix "-" }}
{{- end -}}

{{/* The annotations of an object, if it has any: a hook's, its own, and those of all objects. */}}
{{- define "chartgen.annotations" -}}
{{- $common := mergeOverwrite (deepCopy (.root.Values.commonAnnotations | default dict))
  (.annotations | default dict) }}
{{- if or .hook $common }}
annotations:
{{- with .hook }}{{ . | nindent 2 }}{{ end }}
{{- range $key, $text := $common }}{{ if not (hasKey (fromYaml ($.hook | default "{}")) $key) }}
  {{ toJson $key }}: {{ include "chartgen.text" $text | toJson }}
{{- end }}{{ end }}
{{- end }}
{{- end -}}

{{/*
Metadata of a replica's Job or Service. Takes what replicaName takes, "variant", and "labels" and
"annotations" of its own.
*/}}
{{- define "chartgen.replicaMetadata" -}}
name: {{ include "chartgen.replicaName" . }}
labels:
  {{- include "chartgen.replicaLabels" . | nindent 2 }}
{{- include "chartgen.annotations" . }}
{{- end -}}

{{/*
Labels of a replica's Job and Service: those of its pod, and of its chart. An id like 59e90732 is
quoted: Go does not read it as a number, so toYaml does not quote it, but other YAML readers read
infinity.
*/}}
{{- define "chartgen.replicaLabels" -}}
{{- $common := .root.Values.commonLabels | default dict | include "chartgen.textMap" | fromJson }}
{{- $object := include "chartgen.ownLabels" (merge (dict "component" .role) .) | fromYaml }}
{{- $native := (include "chartgen.framework" (merge (dict "spec" .variant.spec) .)
  | fromJson).labels | default dict }}
{{- $own := .labels | default dict | include "chartgen.textMap" | fromJson }}
{{- $pod := include "chartgen.podLabels" . | fromYaml }}
{{- $labels := mergeOverwrite $common $own $object $pod $native | toYaml }}
{{- regexReplaceAll "(?m): ([0-9]+e[0-9]+)$" $labels ": \"${1}\"" }}
{{- end -}}

{{/*
Refuses annotations that are too large for the API server. Takes (dict "who" WHO "pod" POD).
*/}}
{{- define "chartgen.checkAnnotations" -}}
{{- $size := 0 }}
{{- range $key, $text := .pod.metadata.annotations }}
  {{- $size = add $size (len $key) (len $text) | int }}
{{- end }}
{{- if gt $size 262144 }}
  {{- fail (printf "%s: the annotations of a pod have %d bytes in total; Kubernetes allows 262144"
    .who $size) }}
{{- end }}
{{- end -}}
