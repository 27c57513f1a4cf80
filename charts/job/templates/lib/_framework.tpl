{{/*
What the framework adds to a role's pod, as JSON. Takes (dict "root" $ "plan" PLAN "role" ROLE
"spec" SPEC "id" ID "index" INDEX).
*/}}
{{- define "chartgen.framework" -}}
{{- $part := include (printf "chartgen.role.%s" .role) . | replace "\ufeff" "\\ufeff" | fromYaml }}
{{- with $part.Error }}{{ fail (printf "roles.%s: %s" $.role .) }}{{ end }}
{{- /* only waits */}}
{{- $waits := list }}
{{- range $part.waits }}
  {{- $container := include "chartgen.waitContainer" (merge (dict "hosts" .hosts) $) | fromYaml }}
  {{- $waits = append $waits (merge (omit . "hosts") $container) }}
{{- end }}
{{- $_ := set $part "waits" $waits }}
{{- /* end waits */}}
{{- toJson $part }}
{{- end -}}

{{/*
The framework's ConfigMaps as a JSON list. With "brief", only what the runtime id depends on. Takes
(dict "root" $ "plan" PLAN "id" ID "brief" BOOL).
*/}}
{{- define "chartgen.readConfigs" -}}
{{- /* without notation */}}
{{- include "chartgen.configs" . | replace "\ufeff" "\\ufeff" | fromYamlArray | toJson }}
{{- /* end notation */}}
{{- /* only notation */}}
{{- $configs := include "chartgen.configs" . | replace "\ufeff" "\\ufeff" | fromYamlArray }}
{{- with include "chartgen.listConfig" . }}{{ $configs = fromJson . | append $configs }}{{ end }}
{{- toJson $configs }}
{{- /* end notation */}}
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
{{- /* only waits */}}

{{- define "chartgen.waitContainer" -}}
{{- $own := (.root.Values.wait | default dict).image }}
{{- $image := dict "image" $own "where" "wait.image" "default" "busybox:1.37.0" -}}
{{ include "chartgen.helperImage" (merge $image (dict "root" .root "spec" .spec)) }}
command: [/bin/sh, -c]
{{- $read := empty .hosts | ternary "" (printf "HOSTS=$(cat %s)\n" (.hosts | default "")) }}
args: [{{ print $read (.root.Files.Get "files/wait.sh") | toJson }}]
resources:
  requests: {cpu: 10m, memory: 16Mi}
  limits: {memory: 64Mi}
securityContext:
  {{- include "chartgen.restrictedContainer" . | nindent 2 }}
{{- end -}}
{{- /* end waits */}}
