{{/* The machines that have what a role requests. */}}

{{/* Adds to the role's selectors what finds the right machines, in place. */}}
{{- define "chartgen.selectNodes" -}}
{{- $asked := .asked }}{{- $spec := .spec }}{{- $cloud := .cloud }}
{{- $selector := $spec.nodeSelector | default dict }}
{{- $device := include "chartgen.cloudDevice" (dict "cloud" $cloud "resource" $asked.resource)
  | default "{}" | fromJson }}
{{- $labels := merge dict ($asked.typed.selectors | default dict) ($device.selectors | default dict)
  ($cloud.selectors | default dict) }}
{{- range $key := list "machine" "topology" "profile" }}
  {{- with get $asked $key }}
    {{- $label := required (printf "%s: cloud %s has no node label for the %s; leave it out" $.who
      $cloud.name $key) (get $labels $key) }}
    {{- if not (hasKey $selector $label) }}{{ $_ := set $selector $label . }}{{ end }}
  {{- end }}
{{- end }}
{{- $label := $labels.machine | default "" }}
{{- if and $label $asked.fit (not (or $asked.machine $asked.typed.nodeSelector
  (hasKey $selector $label))) }}
  {{- if eq (len $asked.fit) 1 }}{{ $_ := set $selector $label (first $asked.fit) }}
  {{- else }}
    {{- include "chartgen.requireNodes" (dict "spec" $spec "expression"
      (dict "key" $label "operator" "In" "values" $asked.fit)) }}
  {{- end }}
{{- end }}
{{- if $selector }}{{ $_ := set $spec "nodeSelector" $selector }}{{ end }}
{{- end -}}

{{/*
Adds a requirement to the role's node affinity, in place. Takes (dict "spec" SPEC "expression"
DICT).
*/}}
{{- define "chartgen.requireNodes" -}}
{{- $affinity := .spec.affinity | default dict }}
{{- $node := $affinity.nodeAffinity | default dict }}
{{- $required := $node.requiredDuringSchedulingIgnoredDuringExecution | default dict }}
{{- $terms := list }}
{{- range $required.nodeSelectorTerms | default (list dict) }}
  {{- $expressions := .matchExpressions | default list }}
  {{- if not (has $.expression $expressions) }}
    {{- $expressions = append $expressions $.expression }}
  {{- end }}
  {{- $terms = append $terms (set . "matchExpressions" $expressions) }}
{{- end }}
{{- $_ := set $required "nodeSelectorTerms" $terms }}
{{- $_ := set $node "requiredDuringSchedulingIgnoredDuringExecution" $required }}
{{- $_ := set .spec "affinity" (set $affinity "nodeAffinity" $node) }}
{{- end -}}
