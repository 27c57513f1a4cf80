{{/*
Scalars as text: --set passes integers and a values file floats, and both print as written.
*/}}

{{- define "chartgen.text" -}}
{{- kindIs "string" . | ternary . (toJson .) -}}
{{- end -}}

{{/* A list of scalars as a JSON list of strings. */}}
{{- define "chartgen.texts" -}}
{{- $texts := list }}
{{- range . }}{{ $texts = append $texts (include "chartgen.text" .) }}{{ end }}
{{- toJson $texts }}
{{- end -}}

{{/* A mapping of scalars as a JSON mapping of strings. */}}
{{- define "chartgen.textMap" -}}
{{- $texts := dict }}
{{- range $key, $value := . }}{{ $_ := set $texts $key (include "chartgen.text" $value) }}{{ end }}
{{- toJson $texts }}
{{- end -}}
