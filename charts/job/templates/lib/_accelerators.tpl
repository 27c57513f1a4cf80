{{/* Short requests (gpu, accelerator) spelled out for the cloud. */}}

{{/*
What a role requests, as JSON: {"resource": NAME, "adds": LIST}. The list is what to add for it, the
strongest first; the device and the selectors go into the role's own fields. Takes (dict "root" $
"cloud" CLOUD "who" WHO "spec" SPEC).
*/}}
{{- define "chartgen.request" -}}
{{- $asked := include "chartgen.accelerator" . | fromJson }}
{{- $adds := list }}
{{- if $asked.resource }}
  {{- include "chartgen.requestDevice" (merge (dict "asked" $asked) .) }}
{{- end }}
{{- if or $asked.resource $asked.machine }}
  {{- include "chartgen.selectNodes" (merge (dict "asked" $asked) .) }}
  {{- $adds = list (omit $asked.typed "resource" "selectors" "topologies") }}
{{- end }}
{{- $fabric := .spec.fabric | default "none" }}
{{- if ne $fabric "none" }}
  {{- if not $asked.resource }}
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
{{- dict "resource" $asked.resource "adds" $adds | toJson }}
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
    {{- fail (printf "%s asks by gpu and by accelerator; expected one of them" $.who) }}
  {{- end }}
  {{- $asked = dict "type" "nvidia-gpu" "count" . }}
{{- end }}
{{- $label := dig "selectors" "machine" "" $cloud }}
{{- $holds := dig ($asked.machine | default (get (.spec.nodeSelector | default dict) $label)
  | toString) "holds" dict $machines }}
{{- $type := $asked.type | default (dig ($asked.machine | default "") "type" "" $machines) }}
{{- if and $asked.machine (not $type) (not (hasKey $machines $asked.machine)) }}
  {{- fail (printf "%s: cloud %s knows no machine %s; say accelerator.type too" .who $cloud.name
    $asked.machine) }}
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

{{/*
Finds the resource of a type, how many are requested, and which machines fit. Changes its argument
in place.
*/}}
{{- define "chartgen.findDevice" -}}
{{- $asked := .asked }}{{- $cloud := .cloud }}
{{- $shipped := dict }}
{{- range splitList "---\n" (.root.Files.Get "files/clouds.yaml") }}
  {{- if and (hasPrefix "accelerator: " .) (contains $asked.type .) }}
    {{- /* reading all of them would take long */}}
    {{- $one := fromYaml . }}
    {{- if or (eq $one.accelerator $asked.type) (has $asked.type ($one.types | default list)) }}
      {{- $shipped = $one }}
    {{- end }}
  {{- end }}
{{- end }}
{{- $resource := $asked.typed.resource | default ($shipped.resource | default "") }}
{{- if not $resource }}
  {{- fail (printf "%s: no accelerator is of type %s; expected a model such as h100, or one of %s"
    .who $asked.type (include "chartgen.knownNames"
    (dict "root" .root "kind" "accelerator" "own" $cloud.types))) }}
{{- end }}
{{- if contains "*" $resource }}
  {{- $resource = replace "*" (required (printf "%s: an accelerator of type %s needs a profile" .who
    $asked.type) $asked.profile) $resource }}
  {{- $_ := unset $asked "profile" }}
{{- end }}
{{- $made := dig ($asked.machine | default "") "type" "" ($cloud.machines | default dict) }}
{{- $model := ne ($shipped.accelerator | default "") $asked.type }}
{{- /* and not a kind of device, which has models */}}
{{- if and $made $model (ne $made $asked.type) }}
  {{- fail (printf "%s: the machine %s of cloud %s has %s, not %s" .who $asked.machine $cloud.name
    $made $asked.type) }}
{{- end }}
{{- $models := dict }}{{- $most := 0 }}
{{- range $name, $one := $cloud.machines }}
  {{- if eq ($one.type | default "") $asked.type }}
    {{- $_ := set $models $name (get $one.holds $resource | int) }}
  {{- end }}
  {{- $most = max $most (get $one.holds $resource | int) | int }}
{{- end }}
{{- $unfindable := and (or $cloud.types $cloud.machines) (not $models)
  (not (hasKey ($cloud.types | default dict) $asked.type)) $model }}
{{- $absent := and (hasKey $cloud "devices") (not (include "chartgen.cloudDevice"
  (dict "cloud" $cloud "resource" $resource))) }}
{{- if or $absent $unfindable }}
  {{- fail (printf "%s: cloud %s has no %s" .who $cloud.name $asked.type) }}
{{- end }}
{{- $count := 1 }}
{{- if hasKey $asked.holds $resource }}{{ $count = get $asked.holds $resource | int }}{{ end }}
{{- with get ($asked.typed.topologies | default dict) ($asked.topology | default "") }}
  {{- $count = int . }}
{{- end }}
{{- if hasKey $asked "count" }}{{ $count = int $asked.count }}{{ end }}
{{- $fit := list }}
{{- range $name, $held := $models }}
  {{- if ge $held $count }}{{ $fit = append $fit $name }}{{ end }}
{{- end }}
{{- if and $asked.holds (gt $count (get $asked.holds $resource | int)) }}
  {{- fail (printf "%s asks for %d %s; its machine holds %d" .who $count $resource
    (get $asked.holds $resource | int)) }}
{{- else if or (and $models (not $fit)) (and (not (or $models $model $asked.holds)) $most
  (gt $count $most)) }}
  {{- fail (printf "%s asks for %d %s of type %s; no machine of cloud %s holds so many" .who $count
    $resource $asked.type $cloud.name) }}
{{- end }}
{{- $_ := mergeOverwrite $asked (dict "resource" $resource "count" $count "fit" (sortAlpha $fit)) }}
{{- include "chartgen.checkSlice" (merge (dict "resource" $resource) .) }}
{{- end -}}

{{/*
Refuses a device that one Job per replica cannot have, unless one host has all of it. Takes the dict
of chartgen.request with "resource".
*/}}
{{- define "chartgen.checkSlice" -}}
{{- range splitList "---\n" (.root.Files.Get "files/clouds.yaml") }}
  {{- if and (hasPrefix "accelerator: " .) (contains "\nslice: " .) }}
    {{- $one := fromYaml . }}
    {{- if eq $one.resource $.resource }}
      {{- $topologies := dig "typed" "topologies" dict $.asked }}
      {{- $chips := get $topologies ($.asked.topology | default "") | int }}
      {{- if not $chips }}
        {{- fail (printf "%s asks for %s, but %s" $.who $.resource $one.slice) }}
      {{- end }}
      {{- if ne $chips (int $.asked.count) }}
        {{- fail (printf "%s asks for %d %s; a host of topology %s is taken whole, with %d" $.who
          (int $.asked.count) $.resource $.asked.topology $chips) }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Puts the device into the role's limits, in place. */}}
{{- define "chartgen.requestDevice" -}}
{{- $asked := .asked }}{{- $spec := .spec }}
{{- $resources := $spec.resources | default dict }}
{{- $limits := $resources.limits | default dict }}
{{- if and (hasKey $limits $asked.resource) (ne
  (include "chartgen.amount" (get $limits $asked.resource) | float64 | int) (int $asked.count)) }}
  {{- fail (printf "%s asks for %d %s in short and for %v in resources.limits; expected one of them"
    .who (int $asked.count) $asked.resource (get $limits $asked.resource)) }}
{{- end }}
{{- $_ := set $resources "limits" (set $limits $asked.resource (int $asked.count)) }}
{{- $_ := set $spec "resources" $resources }}
{{- end -}}
