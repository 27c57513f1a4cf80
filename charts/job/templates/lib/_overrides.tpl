{{/* Overrides: what differs for some replicas of a role, by index ("2") or range ("0-3"). */}}

{{/*
A role's overrides by index, as JSON: {"2": "2", "4": "4-9", "5": "4-9"}. Takes (dict "root" $
"role" ROLE).
*/}}
{{- define "chartgen.overrideKeys" -}}
{{- $role := get .root.Values.roles .role }}
{{- $keys := dict }}
{{- range $key, $_ := $role.overrides }}
  {{- $ends := splitList "-" $key }}
  {{- range $index := untilStep (first $ends | int)
    (min (last $ends | int | add1) (int $role.replicas) | int) 1 }}
    {{- with get $keys (toString $index) }}
      {{- fail (printf "roles.%s.overrides: %s and %s both name index %d" $.role . $key $index) }}
    {{- end }}
    {{- $_ := set $keys (toString $index) $key }}
  {{- end }}
{{- end }}
{{- toJson $keys -}}
{{- end -}}

{{/*
Refuses overrides of replicas that do not exist, and ranges that end before they start. Those beyond
a role that was scaled down are kept for scaling up. Takes (dict "root" $ "plan" PLAN "role" ROLE).
*/}}
{{- define "chartgen.checkOverrides" -}}
{{- $role := get .root.Values.roles .role }}
{{- $count := max (int $role.replicas) (int (get .plan.roles .role).replicas) | int }}
{{- range $key, $_ := $role.overrides }}
  {{- $where := printf "roles.%s.overrides.%s" $.role $key }}
  {{- $ends := splitList "-" $key }}
  {{- if gt (first $ends | int) (last $ends | int) }}
    {{- fail (printf "%s: the range ends before it starts; expected the lower index first"
      $where) }}
  {{- end }}
  {{- if ge (last $ends | int) $count }}
    {{- $expected := empty $count | ternary "no override, because it has no replicas"
      (printf "indices up to %d" (sub $count 1)) }}
    {{- fail (printf "%s: roles.%s has no replica %s; expected %s" $where $.role (last $ends)
      $expected) }}
  {{- end }}
{{- end }}
{{- end -}}
