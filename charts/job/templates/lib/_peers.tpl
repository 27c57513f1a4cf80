{{/*
The addresses of all replicas of some roles, as programs read them. Roles without replicas are left
out. Takes (list DOT FORM ROLE...):
  json     {"ps":["ps-76no-0:2222"],"worker":["worker-76no-0:2222"]}
  members  "ps":["ps-76no-0:2222"],   the members of the json form, each followed by a comma
  spec     ps|ps-76no-0:2222,worker|worker-76no-0:2222;worker-76no-1:2222
  list     ps-76no-0:2222,ps-76no-1:2222
  lines    ps-76no-0 2222             one replica per line
DOT has "root" and "id"; with "brief", it is counts and ports, which is enough for a hash.
*/}}
{{- define "chartgen.peers" -}}
{{- $form := index . 1 }}
{{- $texts := list }}
{{- range $role := slice . 2 }}
  {{- $own := merge (dict "role" $role "form" $form) (first $) }}
  {{- if include "chartgen.count" (pick $own "root" "role") | int }}
    {{- $texts = append $texts (include "chartgen.rolePeers" $own) }}
  {{- end }}
{{- end }}
{{- $text := join (eq $form "lines" | ternary "\n" ",") $texts }}
{{- if eq $form "json" }}{{ printf "{%s}" $text }}
{{- else if and $texts (eq $form "members") }}{{ $text }},
{{- else }}{{ $text }}
{{- end }}
{{- end -}}

{{/* The part of one role. A replica whose override sets a port is listed with it. */}}
{{- define "chartgen.rolePeers" -}}
{{- $count := include "chartgen.count" (dict "root" .root "role" .role) | int }}
{{- $port := include "chartgen.port" . }}
{{- $own := dict }}
{{- $overrides := (get .root.Values.roles .role).overrides | default dict }}
{{- range $index, $key := include "chartgen.overrideKeys" . | fromJson }}
  {{- with (get $overrides $key).port }}{{ $_ := set $own $index (int .) }}{{ end }}
{{- end }}
{{- $host := printf "%s%s-%s-" (.root.Values.namePrefix | default "") .role .id }}
{{- if .brief }}{{ printf "%s*%s:%s%s" .role (include "chartgen.count" .) $port (toJson $own) }}
{{- else }}
{{- $start := dict "lines" "" "list" "" "spec" (printf "%s|" .role) | dig .form
  (printf "%s:[" (toJson .role)) }}
{{- $quote := has .form (list "json" "members") | ternary "\"" "" }}
{{- $between := dict "lines" "\n" "spec" ";" | dig .form "," }}
{{- $colon := eq .form "lines" | ternary " " ":" }}
{{- $before := print $quote $host }}
{{- $start }}
{{- if $own }}
{{- range $index := until $count }}
  {{- if $index }}{{ $between }}{{ end }}
  {{- $before }}
  {{- $index }}
  {{- $colon }}
  {{- get $own (toString $index) | default $port }}
  {{- $quote }}
{{- end }}
{{- else }}{{/* the same faster, for thousands */}}
{{- $after := print $colon $port $quote }}
{{- $before }}{{ until $count | join (print $after $between $before) }}{{ $after }}
{{- end }}
{{- if $quote }}]{{ end }}
{{- end }}
{{- end -}}
