{{/* Which device serves an accelerator that the job names by its type. */}}

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
  {{- fail (printf "%s requests %d %s; its machine has %d" .who $count $resource
    (get $asked.holds $resource | int)) }}
{{- else if or (and $models (not $fit)) (and (not (or $models $model $asked.holds)) $most
  (gt $count $most)) }}
  {{- fail (printf "%s requests %d %s of type %s; no machine of cloud %s has that many" .who $count
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
        {{- fail (printf "%s requests %s, but %s" $.who $.resource $one.slice) }}
      {{- end }}
      {{- if ne $chips (int $.asked.count) }}
        {{- fail (printf "%s requests %d %s; a host of topology %s is requested as a whole, with %d"
          $.who (int $.asked.count) $.resource $.asked.topology $chips) }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end -}}
