{{/* Scalars as text: --set gives integers, a values file gives floats, and both must print as written. */}}

{{/* A scalar. */}}
{{- define "chartgen.text" -}}
{{- kindIs "string" . | ternary . (toJson .) -}}
{{- end -}}

{{/* A list of scalars as a JSON list of strings. */}}
{{- define "chartgen.texts" -}}
{{- $texts := list }}{{- range . }}{{ $texts = append $texts (include "chartgen.text" .) }}{{ end }}{{ toJson $texts }}
{{- end -}}

{{/* A map of scalars as a JSON map of strings. */}}
{{- define "chartgen.textMap" -}}
{{- $texts := dict }}{{- range $key, $value := . }}{{ $_ := set $texts $key (include "chartgen.text" $value) }}{{ end }}{{ toJson $texts }}
{{- end -}}
