{{/* The addresses of replicas, as programs read them. */}}

{{/*
The addresses of all replicas of some roles, without roles that have none: (dict "root" $ "id" ID "roles" LIST "form" FORM).
  json     {"ps":["ps-76no-0:2222"],"worker":["worker-76no-0:2222"]}
  members  "ps":["ps-76no-0:2222"],   the members of the json form, each followed by a comma
  spec     ps|ps-76no-0:2222,worker|worker-76no-0:2222;worker-76no-1:2222
  list     ps-76no-0:2222,ps-76no-1:2222
  lines    ps-76no-0 2222             one replica per line
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
{{- $start := dict "lines" "" "list" "" "spec" (printf "%s|" .role) | dig .form (printf "%s:[" (toJson .role)) }}
{{- $quote := has .form (list "json" "members") | ternary "\"" "" }}
{{- $between := dict "lines" "\n" "spec" ";" | dig .form "," }}
{{- $colon := eq .form "lines" | ternary " " ":" }}
{{- $before := print $quote $host }}
{{- $start }}
{{- if $own }}
{{- range $index := until $count }}{{ if $index }}{{ $between }}{{ end }}{{ $before }}{{ $index }}{{ $colon }}{{ get $own (toString $index) | default $port }}{{ $quote }}{{ end }}
{{- else }}{{/* the same at once, for thousands */}}
{{- $after := print $colon $port $quote }}
{{- $before }}{{ until $count | join (print $after $between $before) }}{{ $after }}
{{- end }}
{{- if $quote }}]{{ end }}
{{- end }}
{{- end -}}
