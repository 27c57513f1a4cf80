{{/* Config that all replicas share, once per release. */}}

{{/*
The framework's ConfigMaps as a JSON list. With "brief", only what the runtime id depends on. Takes
(dict "root" $ "plan" PLAN "id" ID "brief" BOOL).
*/}}
{{- define "chartgen.readConfigs" -}}
{{- $configs := include "chartgen.configs" . | replace "\ufeff" "\\ufeff" | fromYamlArray }}
{{- /* only notation */}}
{{- with include "chartgen.listConfig" . }}{{ $configs = fromJson . | append $configs }}{{ end }}
{{- /* end notation */}}
{{- toJson $configs }}
{{- end -}}

{{/* Whether a role runs its default command: it has replicas, and no command of its own. */}}
{{- define "chartgen.starts" -}}
{{- $role := get .root.Values.roles .role }}
{{- $own := false }}
{{- range list "command" "args" }}
  {{- if or (hasKey $role .) (hasKey $.root.Values .) }}{{ $own = true }}{{ end }}
{{- end }}
{{- if and (int $role.replicas) (not $own) }}true{{ end }}
{{- end -}}
