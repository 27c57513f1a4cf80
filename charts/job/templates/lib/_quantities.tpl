{{/* Kubernetes quantities, and what a replica requests. */}}

{{/* A quantity as a plain number: "500m" is 0.5, "16Gi" is 17179869184. */}}
{{- define "chartgen.amount" -}}
{{- $text := include "chartgen.text" . }}
{{- $units := dict "" 1.0 "n" 1e-9 "u" 1e-6 "m" 0.001
  "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18
  "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0
  "Ti" 1099511627776.0 "Pi" 1125899906842624.0 "Ei" 1152921504606846976.0 }}
{{- $number := regexFind "^[-+]?[0-9.]+([eE][-+]?[0-9]+)?" $text }}
{{- mulf (float64 $number) (get $units (trimPrefix $number $text)) -}}
{{- end -}}

{{/* What a role's pods request, as JSON: the requests, or else the limits. */}}
{{- define "chartgen.requests" -}}
{{- $resources := .resources | default dict }}
{{- mergeOverwrite (deepCopy ($resources.limits | default dict))
  (deepCopy ($resources.requests | default dict)) | toJson }}
{{- end -}}

{{/* The devices in a container's limits, with their numbers, as JSON. */}}
{{- define "chartgen.devices" -}}
{{- $found := dict }}
{{- range $name, $quantity := (.resources | default dict).limits }}
  {{- if contains "/" $name }}
    {{- with include "chartgen.amount" $quantity | float64 | int }}
      {{- $_ := set $found $name . }}
    {{- end }}
  {{- end }}
{{- end }}
{{- toJson $found }}
{{- end -}}
{{- /* only options */}}

{{/*
How much of a resource a replica requests, as a number. Takes (dict "spec" SPEC "resource" NAME);
with "least", a whole number, at least that.
*/}}
{{- define "chartgen.requested" -}}
{{- $amount := include "chartgen.amount" (get (include "chartgen.requests" .spec | fromJson)
  .resource | default 0) | float64 }}
{{- if .least }}{{ max (ceil $amount | int64) .least }}
{{- else if eq (int64 $amount | float64) $amount }}
  {{- int64 $amount }}
{{- else }}
  {{- $amount }}
{{- end }}
{{- end -}}
{{- /* end options */}}
