{{/* Options of the framework as text. */}}

{{/*
The value of an option as text, empty if it is not set. The items of a list are joined by "between".
Takes (dict "value" VALUE).
*/}}
{{- define "chartgen.option" -}}
{{- $value := .value }}
{{- if kindIs "slice" $value }}
  {{- $texts := list }}
  {{- range $value }}{{ $texts = append $texts (include "chartgen.text" .) }}{{ end }}
  {{- join (.between | default ",") $texts }}
{{- else if not (or (kindIs "invalid" $value) (and (kindIs "map" $value) (empty $value))) }}
  {{- include "chartgen.text" $value }}
{{- end }}
{{- end -}}

{{- /* only range */}}
{{/*
Two options that are numbers, the least and the most. Takes (dict "least" VALUE "most" VALUE "names"
NAMES).
*/}}
{{- define "chartgen.range" -}}
{{- if gt (int .least) (int .most) }}
  {{- fail (printf "%s (%d) is above %s (%d)" (index .names 0) (int .least) (index .names 1)
    (int .most)) }}
{{- end }}
{{- printf "%d:%d" (int .least) (int .most) }}
{{- end -}}
{{- /* end range */}}
{{- /* only size */}}

{{/*
An amount of memory in bytes. A share such as 20% is kept, or taken of a resource that the replica
requests. Takes (dict "value" VALUE), and for a share also "spec", "resource" and "percent".
*/}}
{{- define "chartgen.size" -}}
{{- $size := include "chartgen.option" . }}
{{- $share := hasSuffix "%" $size }}
{{- if or (not $size) (and $share (not .resource)) }}{{ $size }}
{{- else }}
  {{- $bytes := 0 }}
  {{- if $share }}
    {{- $bytes = mulf (include "chartgen.requested" . | float64) (trimSuffix "%" $size | float64)
      0.01 }}
  {{- else }}{{ $bytes = include "chartgen.amount" $size | float64 }}
  {{- end }}
  {{- with mulf $bytes (.percent | default 100) 0.01 | ceil | int64 }}{{ . }}{{ end }}
{{- end }}
{{- end -}}
{{- /* end size */}}
