{{/* Config that replicas share, once per release however many replicas there are. */}}

{{/* One ConfigMap, or with "brief" its data alone: (dict "root" $ "id" ID "brief" BOOL "name" NAME "data" TEXT). */}}
{{- define "chartgen.configMap" -}}
{{- if .brief }}{{ .data }}{{ else }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include "chartgen.name" . }}
  labels:
    {{- include "chartgen.objectLabels" (merge (dict "component" "config") .) | nindent 4 }}
data:
  {{- .data | nindent 2 }}
{{ end }}
{{- end -}}

{{/* Whether a role starts what its framework ships: it has replicas, and no command or arguments of its own. */}}
{{- define "chartgen.starts" -}}
{{- $role := get .root.Values.roles .role }}
{{- $own := false }}
{{- range list "command" "args" }}{{ if or (hasKey $role .) (hasKey $.root.Values .) }}{{ $own = true }}{{ end }}{{ end }}
{{- if and (int $role.replicas) (not $own) }}true{{ end }}
{{- end -}}
