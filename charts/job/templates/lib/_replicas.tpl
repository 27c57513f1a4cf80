{{/* Facts about replicas known only at install: how many there are, and where they listen. */}}

{{/* How many replicas a role has: (dict "root" $ "role" ROLE). */}}
{{- /* only options */}}
{{/* Fewer, if an option says so: (dict ... "atMost" VALUE). */}}
{{- /* end options */}}
{{- /* only rescalable */}}
{{/* With "brief", a role that can be rescaled has no count: (dict ... "brief" BOOL "plan" PLAN). */}}
{{- /* end rescalable */}}
{{- define "chartgen.count" -}}
{{- $count := (get .root.Values.roles .role | default dict).replicas | default 0 | int }}
{{- /* only options */}}
{{- with include "chartgen.option" (dict "value" .atMost) }}{{ $count = min $count (int .) }}{{ end }}
{{- /* end options */}}
{{- /* only rescalable */}}
{{- if and .brief (get .plan.roles .role).rescalable }}{{ $count = "*" }}{{ end }}
{{- /* end rescalable */}}
{{- $count }}
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
