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

{{/*
Refuses an env string that Linux would not start a process with: (dict "root" $ "id" ID). What is put together in the pod
is put together here, for the last replica of each role, as far as lengths go.
*/}}
{{- define "chartgen.envFits" -}}
{{- $framework := .root.Files.Get "files/framework.yaml" | fromYaml }}
{{- $configs := dict }}{{- range $framework.configs }}{{ $_ := set $configs .name .data }}{{ end }}
{{- range $name, $role := $framework.roles }}
{{- $spec := get $.root.Values.roles $name }}
{{- if int $spec.replicas }}
  {{- $context := merge (dict "index" (sub (int $spec.replicas) 1 | toString) "spec" $spec) $ }}
  {{- $sizes := dict }}
  {{- range $env := $role.env }}
    {{- $size := 0 }}
    {{- if $env.config }}
      {{- $key := include "chartgen.late" (merge (dict "parts" $env.key) $context) }}
      {{- $size = include "chartgen.late" (merge (dict "parts" (get (get $configs $env.config) $key)) $context) | len }}
    {{- else }}
      {{- $text := include "chartgen.late" (merge (dict "parts" $env.value) $context) }}
      {{- $size = len $text }}
      {{- range $other, $length := $sizes }}
        {{- $reference := printf "$(%s)" $other }}
        {{- if contains $reference $text }}{{ $size = sub (add $size $length) (len $reference) | int }}{{ end }}
      {{- end }}
    {{- end }}
    {{- $_ := set $sizes $env.name $size }}
    {{- if gt (add $size (len $env.name) 2 | int) 131072 }}
      {{- fail (printf "%s would have %d bytes; Linux allows 131072 for one env string: %s" $env.name (add $size (len $env.name) 2 | int) $framework.peersHint) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}
{{- end -}}
