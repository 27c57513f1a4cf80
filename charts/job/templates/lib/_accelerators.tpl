{{/* Short requests (gpu, accelerator) spelled out for the cloud. */}}

{{/*
What a role requests, as JSON: {"resource": NAME, "adds": LIST}. The name is that of what is
requested in short. The list is what to add, the strongest first; the device and the selectors go
into the role's own fields. Takes (dict "root" $ "cloud" CLOUD "who" WHO "spec" SPEC).
*/}}
{{- define "chartgen.request" -}}
{{- $asked := include "chartgen.accelerator" . | fromJson }}
{{- $short := $asked.resource }}
{{- $adds := list }}
{{- if $short }}
  {{- include "chartgen.requestDevice" (merge (dict "asked" $asked) .) }}
{{- end }}
{{- if or $asked.resource $asked.machine }}
  {{- include "chartgen.selectNodes" (merge (dict "asked" $asked) .) }}
  {{- $adds = list (omit $asked.typed "resource" "selectors" "topologies") }}
{{- end }}
{{- $fabric := .spec.fabric | default "none" }}
{{- if ne $fabric "none" }}
  {{- if not $short }}
    {{- range $resource, $count := include "chartgen.devices" .spec | fromJson }}
      {{- if include "chartgen.cloudDevice" (dict "cloud" $.cloud "resource" $resource) }}
        {{- $_ := set $asked "resource" $resource }}
        {{- $_ := set $asked "count" $count }}
      {{- end }}
    {{- end }}
  {{- end }}
  {{- if or $asked.resource $asked.machine }}
    {{- $adds = concat (include "chartgen.fabric" (merge (dict "asked" $asked "fabric" $fabric) .)
      | fromJsonArray) $adds }}
  {{- end }}
{{- end }}
{{- dict "resource" $short "adds" $adds | toJson }}
{{- end -}}

{{/*
The accelerator a role requests, completed, as JSON. It has type, resource, count, machine, holds,
typed and fit.
*/}}
{{- define "chartgen.accelerator" -}}
{{- $cloud := .cloud }}{{- $machines := $cloud.machines | default dict }}
{{- $asked := deepCopy (.spec.accelerator | default dict) }}
{{- if and (hasKey $asked "count") (not (int $asked.count)) }}{{ $asked = dict }}{{ end }}
{{- with int .spec.gpu }}
  {{- if $asked }}
    {{- fail (printf "%s requests devices by gpu and by accelerator; expected only one of them"
      $.who) }}
  {{- end }}
  {{- $asked = dict "type" "nvidia-gpu" "count" . }}
{{- end }}
{{- $label := dig "selectors" "machine" "" $cloud }}
{{- $holds := dig ($asked.machine | default (get (.spec.nodeSelector | default dict) $label)
  | toString) "holds" dict $machines }}
{{- $type := $asked.type | default (dig ($asked.machine | default "") "type" "" $machines) }}
{{- if and $asked.machine (not $type) (not (hasKey $machines $asked.machine)) }}
  {{- fail (printf "%s: cloud %s has no machine %s in its data; set accelerator.type too" .who
    $cloud.name $asked.machine) }}
{{- end }}
{{- if and $asked (not (or $type $asked.machine)) }}
  {{- fail (printf "%s: accelerator has no type; expected one such as h100 or nvidia-gpu" .who) }}
{{- end }}
{{- $typed := get ($cloud.types | default dict) $type | default dict }}
{{- $asked = mergeOverwrite $asked (dict "type" $type "typed" $typed "holds" $holds "resource" ""
  "fit" list) }}
{{- if $type }}{{ include "chartgen.findDevice" (merge (dict "asked" $asked) .) }}{{ end }}
{{- toJson $asked }}
{{- end -}}

{{/* Puts the device into the role's limits, in place. */}}
{{- define "chartgen.requestDevice" -}}
{{- $asked := .asked }}{{- $spec := .spec }}
{{- $resources := $spec.resources | default dict }}
{{- $limits := $resources.limits | default dict }}
{{- if and (hasKey $limits $asked.resource) (ne
  (include "chartgen.amount" (get $limits $asked.resource) | float64 | int) (int $asked.count)) }}
  {{- fail (printf "%s requests %d %s, but %v in resources.limits; expected only one of them" .who
    (int $asked.count) $asked.resource (get $limits $asked.resource)) }}
{{- end }}
{{- $_ := set $resources "limits" (set $limits $asked.resource (int $asked.count)) }}
{{- $_ := set $spec "resources" $resources }}
{{- end -}}
