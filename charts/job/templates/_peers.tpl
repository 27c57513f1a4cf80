{{/* Facts about other replicas that are known only at install: how many there are, and where they listen. */}}

{{/* How many replicas a role has: (dict "root" $ "role" ROLE). */}}
{{- define "chartgen.count" -}}
{{- (get .root.Values.roles .role | default dict).replicas | default 0 | int -}}
{{- end -}}

{{/* The port a role listens on: (dict "root" $ "role" ROLE), or one of its replicas: ... "number" INDEX). */}}
{{- define "chartgen.port" -}}
{{- $role := get .root.Values.roles .role }}
{{- $override := dict }}
{{- if not (kindIs "invalid" .number) }}
  {{- with get (include "chartgen.overrideKeys" . | fromJson) (toString .number) }}{{ $override = get $role.overrides . }}{{ end }}
{{- end }}
{{- $override.port | default $role.port | int -}}
{{- end -}}

{{/*
The addresses of all replicas of some roles, each role that has any: (dict "root" $ "id" ID "roles" LIST "form" FORM).
  json     {"ps":["ps-76no-0:2222"],"worker":["worker-76no-0:2222"]}
  members  "ps":["ps-76no-0:2222"],   what json has between its braces, each with a comma behind it
  spec     ps|ps-76no-0:2222,worker|worker-76no-0:2222;worker-76no-1:2222
  list     ps-76no-0:2222,ps-76no-1:2222
  lines    ps-76no-0 2222             one replica a line
With "brief", counts and ports stand for the list: all that its hash needs, at no cost per replica.
*/}}
{{- define "chartgen.peers" -}}
{{- $texts := list }}
{{- range $role := .roles }}
  {{- if include "chartgen.count" (dict "root" $.root "role" $role) | int }}
    {{- $texts = append $texts (include "chartgen.rolePeers" (merge (dict "role" $role) $)) }}
  {{- end }}
{{- end }}
{{- $text := join (eq .form "lines" | ternary "\n" ",") $texts }}
{{- if eq .form "json" }}{{ printf "{%s}" $text }}
{{- else if and $texts (eq .form "members") }}{{ $text }},
{{- else }}{{ $text }}
{{- end }}
{{- end -}}

{{/* One role's part of that. A replica whose override names a port is listed with it. */}}
{{- define "chartgen.rolePeers" -}}
{{- $count := include "chartgen.count" . | int }}
{{- $port := include "chartgen.port" . }}
{{- $own := dict }}
{{- $overrides := (get .root.Values.roles .role).overrides | default dict }}
{{- range $index, $key := include "chartgen.overrideKeys" . | fromJson }}
  {{- with (get $overrides $key).port }}{{ $_ := set $own $index (int .) }}{{ end }}
{{- end }}
{{- $host := printf "%s%s-%s-" (.root.Values.namePrefix | default "") .role .id }}
{{- if .brief }}{{ printf "%s*%s:%s%s" .role (include "chartgen.hashedCount" .) $port (toJson $own) }}
{{- else }}
{{- $start := dict "lines" "" "list" "" "spec" (printf "%s|" .role) | dig .form (printf "%s:[" (toJson .role)) }}
{{- $quote := has .form (list "json" "members") | ternary "\"" "" }}
{{- $between := dict "lines" "\n" "spec" ";" | dig .form "," }}
{{- $colon := eq .form "lines" | ternary " " ":" }}
{{- $start }}
{{- range $index := until $count }}{{ if $index }}{{ $between }}{{ end }}{{ $quote }}{{ $host }}{{ $index }}{{ $colon }}{{ get $own (toString $index) | default $port }}{{ $quote }}{{ end }}
{{- if $quote }}]{{ end }}
{{- end }}
{{- end -}}

{{/* Which of a role's overrides holds for which index, as JSON: {"2": "2", "4": "4-9", "5": "4-9"}: (dict "root" $ "role" ROLE). */}}
{{- define "chartgen.overrideKeys" -}}
{{- $role := get .root.Values.roles .role }}
{{- $keys := dict }}
{{- range $key, $_ := $role.overrides }}
  {{- $ends := splitList "-" $key }}
  {{- range $index := untilStep (first $ends | int) (min (last $ends | int | add1) (int $role.replicas) | int) 1 }}
    {{- with get $keys (toString $index) }}{{ fail (printf "roles.%s.overrides: %s and %s both name index %d" $.role . $key $index) }}{{ end }}
    {{- $_ := set $keys (toString $index) $key }}
  {{- end }}
{{- end }}
{{- toJson $keys -}}
{{- end -}}
