{{/* Config that replicas share, once per release however many replicas there are. */}}

{{/* The framework's ConfigMaps, or with "brief" what the runtime id must know of them: (dict "root" $ "id" ID "brief" BOOL). */}}
{{- define "chartgen.config" -}}
{{- range (.root.Files.Get "files/framework.yaml" | fromYaml).configs }}
{{- if or (not .startOf) (include "chartgen.starts" (dict "root" $.root "role" .startOf)) }}
  {{- $data := dict }}
  {{- range $key, $value := .data }}
    {{- if kindIs "map" $value }}
      {{- $_ := set $data $key ($.root.Files.Get (printf "files/%s" $value.file)) }}
    {{- else }}
      {{- $_ := set $data $key (include "chartgen.late" (merge (dict "parts" $value) $)) }}
    {{- end }}
  {{- end }}
{{- if $.brief }}{{ toJson $data }}{{ else }}
{{- $names := merge (dict "name" .name "component" "config") $ }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include "chartgen.name" $names }}
  labels:
    {{- include "chartgen.objectLabels" $names | nindent 4 }}
data:
  {{- toYaml $data | nindent 2 }}
{{ end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Whether a role starts what its framework ships: it has replicas, and no command or arguments of its own. */}}
{{- define "chartgen.starts" -}}
{{- $role := get .root.Values.roles .role }}
{{- $own := false }}
{{- range list "command" "args" }}{{ if or (hasKey $role .) (hasKey $.root.Values .) }}{{ $own = true }}{{ end }}{{ end }}
{{- if and (int $role.replicas) (not $own) }}true{{ end }}
{{- end -}}
