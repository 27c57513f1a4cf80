{{/*
What a fabric adds, as a JSON list, the strongest first. Takes the dict of chartgen.request with
"asked" and "fabric".
*/}}
{{- define "chartgen.fabric" -}}
{{- $cloud := .cloud }}{{- $asked := .asked }}{{- $fabrics := $cloud.fabrics | default dict }}
{{- if not (hasKey $fabrics .fabric) }}
  {{- fail (printf "%s: cloud %s has no fabric %s; expected one of %s" .who $cloud.name .fabric
    (append (keys $fabrics | sortAlpha) "none" | join ", ")) }}
{{- end }}
{{- $own := get $fabrics .fabric }}
{{- $shipped := include "chartgen.shipped" (dict "root" .root "kind" "fabric" "name" .fabric)
  | default "{}" | fromJson }}
{{- $types := $own.types | default ($shipped.types | default dict) }}
{{- $type := $asked.type | default "" }}
{{- if and $type $types (not (hasKey $types $type)) }}
  {{- fail (printf "%s: fabric %s of cloud %s is for %s, not for %s" .who .fabric $cloud.name
    (keys $types | sortAlpha | join ", ") $type) }}
{{- end }}
{{- $limits := dict }}
{{- $holds := $asked.holds }}
{{- if eq (len $asked.fit) 1 }}
  {{- $holds = (get $cloud.machines (first $asked.fit)).holds }}
{{- end }}
{{- range $own.takes | default $shipped.takes }}
  {{- if not (hasKey (dig "resources" "limits" dict $.spec) .) }}
    {{- $held := get $holds . | int }}
    {{- if not $held }}
      {{- fail (print $.who ": fabric " $.fabric " takes " . ", as many as the machine has;"
        " set accelerator.machine or resources.limits") }}
    {{- end }}
    {{- with get $holds $asked.resource | int }}
      {{- $held = max 1 (div (mul $held (int $asked.count)) .) }}
    {{- end }}
    {{- $_ := set $limits . $held }}
  {{- end }}
{{- end }}
{{- $adds := list (get $types $type | default dict) (omit $own "types" "takes")
  (omit $shipped "types" "takes") }}
{{- if or $own.together $shipped.together }}
  {{- $together := dict "labels" (dict "chartgen/fabric" .fabric) "together"
    ($own.together | default $shipped.together) }}
  {{- $adds = prepend $adds $together }}
{{- end }}
{{- prepend $adds (dict "resources" (dict "limits" $limits)) | toJson }}
{{- end -}}
