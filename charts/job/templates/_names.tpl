{{/* Names and labels: every object's name carries the prefix and the runtime id, so that nothing collides. */}}

{{/* A scalar as text: --set gives integers, a values file gives floats, and both must print as written. */}}
{{- define "chartgen.text" -}}
{{- kindIs "string" . | ternary . (toJson .) -}}
{{- end -}}

{{/* The name of an object that exists once: (dict "root" $ "id" ID "name" "peers"). */}}
{{- define "chartgen.name" -}}
{{- printf "%s%s-%s" (.root.Values.namePrefix | default "") .name .id | include "chartgen.fits" -}}
{{- end -}}

{{/* A name as it is, unless it is too long for a DNS label; one with a mark in it has no length yet. */}}
{{- define "chartgen.fits" -}}
{{- if and (gt (len .) 63) (not (contains "@" .)) }}
  {{- fail (printf "the name %s has %d characters; Kubernetes allows 63: shorten namePrefix or runtimeId" . (len .)) }}
{{- end }}
{{- . -}}
{{- end -}}

{{/* The name of a replica's Job and Service: (dict "root" $ "id" ID "role" ROLE "index" INDEX). */}}
{{- define "chartgen.replicaName" -}}
{{- printf "%s%s-%s-%s" (.root.Values.namePrefix | default "") .role .id (toString .index) -}}
{{- end -}}

{{/* What selects all pods of this release: (dict "root" $ "id" ID). */}}
{{- define "chartgen.selectorLabels" -}}
app.kubernetes.io/name: {{ .root.Chart.Name | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
chartgen/runtime-id: {{ .id | quote }}
{{- end -}}

{{/* Labels of an object; pods do without the last two, for a chart version in a pod would rename every Job. */}}
{{- define "chartgen.objectLabels" -}}
{{ include "chartgen.selectorLabels" . }}
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end -}}
