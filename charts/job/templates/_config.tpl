{{/* Config that replicas share, once per release however many replicas there are. */}}

{{/* The framework's ConfigMaps, or with "brief" what the runtime id must know of them: (dict "root" $ "id" ID "brief" BOOL). */}}
{{- define "chartgen.config" -}}
{{- $plan := .root.Files.Get "files/framework.yaml" | fromYaml }}
{{- range $plan.configs }}
{{- $own := dict "root" $.root "config" . }}
{{- if include "chartgen.hasConfig" $own }}
  {{- $data := include "chartgen.givenConfig" $own | fromJson }}
  {{- range $key, $value := .data }}
    {{- if kindIs "map" $value }}
      {{- $_ := set $data $key ($.root.Files.Get (printf "files/%s" $value.file)) }}
    {{- else }}
      {{- $_ := set $data $key (include "chartgen.late" (merge (dict "parts" $value "plan" $plan) $)) }}
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

{{/* Whether a config is there: its role starts what it is for, and its option is set: (dict "root" $ "config" CONFIG). */}}
{{- define "chartgen.hasConfig" -}}
{{- $starts := or (not .config.startOf) (include "chartgen.starts" (dict "root" .root "role" .config.startOf)) }}
{{- if and $starts (or (not .config.from) (include "chartgen.givenConfig" . | fromJson)) }}true{{ end }}
{{- end -}}

{{/* The texts that an option holds for a config, as a JSON map of strings: (dict "root" $ "config" CONFIG). */}}
{{- define "chartgen.givenConfig" -}}
{{- with .config.from }}{{ get (get $.root.Values .of | default dict) .option | default dict | include "chartgen.textMap" }}{{ else }}{}{{ end }}
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
{{- if and (int $spec.replicas) (not $role.noJobs) }}
  {{- $context := merge (dict "index" (sub (int $spec.replicas) 1 | toString) "spec" $spec "role" $name "plan" $framework) $ }}
  {{- $sizes := dict }}
  {{- range $env := $role.env }}
    {{- $size := 0 }}
    {{- if $env.field }}
    {{- else if $env.config }}
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
