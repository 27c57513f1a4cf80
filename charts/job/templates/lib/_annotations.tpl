{{/*
Refuses annotations that are too large for the API server. Takes (dict "who" WHO "pod" POD).
*/}}
{{- define "chartgen.checkAnnotations" -}}
{{- $size := 0 }}
{{- range $key, $text := .pod.metadata.annotations }}
  {{- $size = add $size (len $key) (len $text) | int }}
{{- end }}
{{- if gt $size 262144 }}
  {{- fail (printf "%s: the annotations of a pod have %d bytes in sum; Kubernetes allows 262144"
    .who $size) }}
{{- end }}
{{- end -}}
