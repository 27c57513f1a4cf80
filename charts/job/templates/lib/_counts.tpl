{{/* How many replicas a role has. Takes (dict "root" $ "role" ROLE). */}}
{{- /* only options */}}
{{/* Fewer, if an option says so. Takes "atMost". */}}
{{- /* end options */}}
{{- /* only rescalable */}}
{{/* With "brief" and "plan", a role that can be rescaled has no count. */}}
{{- /* end rescalable */}}
{{- define "chartgen.count" -}}
{{- $count := (get .root.Values.roles .role | default dict).replicas | default 0 | int }}
{{- /* only options */}}
{{- with include "chartgen.option" (dict "value" .atMost) }}
  {{- $count = min $count (int .) }}
{{- end }}
{{- /* end options */}}
{{- /* only rescalable */}}
{{- if and .brief (get .plan.roles .role).rescalable }}{{ $count = "*" }}{{ end }}
{{- /* end rescalable */}}
{{- $count }}
{{- end -}}

{{/* The port a role listens on. Takes (dict "root" $ "role" ROLE). */}}
{{- /* only numbered */}}
{{/* Or that of the replica "number". */}}
{{- /* end numbered */}}
{{- define "chartgen.port" -}}
{{- /* only numbered */}}
{{- $role := get .root.Values.roles .role }}
{{- $override := dict }}
{{- if not (kindIs "invalid" .number) }}
  {{- with get (include "chartgen.overrideKeys" . | fromJson) (toString .number) }}
    {{- $override = get $role.overrides . }}
  {{- end }}
{{- end }}
{{- $override.port | default $role.port | int -}}
{{- /* end numbered */}}
{{- /* without numbered */}}
{{- int (get .root.Values.roles .role).port -}}
{{- /* end numbered */}}
{{- end -}}
{{- /* only replicaTotal */}}

{{/*
How many replicas some roles have together. Takes (dict "root" $ "roles" LIST); "times" is an option
to multiply by, if it is a number.
*/}}
{{- define "chartgen.replicaTotal" -}}
{{- $total := 0 }}
{{- range .roles }}
  {{- $total = include "chartgen.count" (dict "root" $.root "role" .) | int | add $total }}
{{- end }}
{{- with regexFind "^[0-9]+$" (include "chartgen.option" (dict "value" .times)) }}
  {{- $total = int . | mul $total }}
{{- end }}
{{- $total }}
{{- end -}}
{{- /* end replicaTotal */}}
{{- /* only totals */}}

{{/*
How many devices a replica requests, at least 1, unless an option says something else. Takes (dict
"spec" SPEC "unless" VALUE).
*/}}
{{- define "chartgen.deviceCount" -}}
{{- $count := 1 }}
{{- range include "chartgen.devices" .spec | fromJson }}{{ $count = int . | max $count }}{{ end }}
{{- include "chartgen.option" (dict "value" .unless) | default $count }}
{{- end -}}
{{- /* end totals */}}
{{- /* only ranks */}}

{{/*
How many replicas come before those of a role in its ranks. Takes (dict "root" $ "plan" PLAN "role"
ROLE).
*/}}
{{- define "chartgen.rankOffset" -}}
{{- $offset := 0 }}
{{- range (get .plan.roles .role).rankAfter | default "" | splitList " " }}
  {{- $offset = include "chartgen.count" (dict "root" $.root "role" .) | int | add $offset }}
{{- end }}
{{- $offset }}
{{- end -}}

{{/*
A placeholder for a replica's rank until its index is known. It contains the offset, so that the
hash of the pods does too.
*/}}
{{- define "chartgen.rankMark" -}}
{{- printf "%sn%s." .mark (include "chartgen.rankOffset" .) }}
{{- end -}}
{{- /* end ranks */}}
