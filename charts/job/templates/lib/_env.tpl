{{/* Environment variables: their order, and their limits. */}}

{{/*
Env as a list: plain entries by name, then those that refer to others. Each comes after what it
refers to, because Kubernetes expands $(NAME) only for earlier entries. Takes (dict "who" WHO "env"
ENV "last" NAMES), with the names of what the chart sets after them.
*/}}
{{- define "chartgen.env" -}}
{{- $plain := list }}{{- $referring := list }}{{- $sizes := dict }}
{{- range $name, $value := .env }}
  {{- if kindIs "map" $value }}
    {{- $plain = append $plain (merge (dict "name" $name) $value) }}
    {{- $_ := set $sizes $name 0 }}
  {{- else if not (kindIs "invalid" $value) }}
    {{- $entry := dict "name" $name "value" (include "chartgen.text" $value) }}
    {{- $_ := set $sizes $name (len $entry.value) }}
    {{- if contains "$(" $entry.value }}{{ $referring = append $referring $entry }}
    {{- else }}{{ $plain = append $plain $entry }}{{ end }}
  {{- end }}
{{- end }}
{{- $ordered := include "chartgen.ordered" (dict "who" .who "entries" $referring "last" .last)
  | fromJsonArray }}
{{- range $ordered }}
  {{- $_ := set $sizes .name (include "chartgen.envSize" (merge (dict "sizes" $sizes) .) | int) }}
{{- end }}
{{- range $name, $length := $sizes }}
  {{- include "chartgen.checkEnvSize" (dict "name" $name "size" $length "who"
    (printf "%s.env: " $.who)) }}
{{- end }}
{{- range concat $plain $ordered }}
- {{ toJson . }}
{{- end }}
{{- end -}}

{{/*
Env entries as a JSON list, each after those it refers to, else by name. Takes (dict "who" WHO
"entries" LIST "last" NAMES).
*/}}
{{- define "chartgen.ordered" -}}
{{- if gt (len .entries) 500 }}
  {{- fail (printf "%s.env: %d variables refer to others; expected at most 500" .who
    (len .entries)) }}
{{- end }}
{{- $left := .entries }}{{- $ordered := list }}{{- $open := dict }}{{- $references := dict }}
{{- range $entry := .entries }}
  {{- $names := include "chartgen.references" .value | fromJsonArray }}
  {{- range $names }}{{ if has . $.last }}
    {{- fail (print $.who ".env: " $entry.name " refers to $(" . "), which the chart sets after "
      "it; only command and args can refer to it") }}
  {{- end }}{{ end }}
  {{- $_ := set $open .name true }}
  {{- $_ := set $references .name $names }}
{{- end }}
{{- range .entries }}
  {{- $next := dict }}
  {{- range $entry := $left }}
    {{- $waits := false }}
    {{- range get $references .name }}
      {{- if and (ne . $entry.name) (hasKey $open .) }}{{ $waits = true }}{{ break }}{{ end }}
    {{- end }}
    {{- if not $waits }}{{ $next = $entry }}{{ break }}{{ end }}
  {{- end }}
  {{- if not $next }}
    {{- fail (printf "%s.env: %s refers to itself through other variables" $.who
      (first $left).name) }}
  {{- end }}
  {{- $ordered = append $ordered $next }}
  {{- $left = without $left $next }}
  {{- $_ := unset $open $next.name }}
{{- end }}
{{- toJson $ordered }}
{{- end -}}

{{/*
The bytes of a variable, with those that it refers to filled in. Takes (dict "name" NAME "value"
TEXT "sizes" DICT), with the bytes of others.
*/}}
{{- define "chartgen.envSize" -}}
{{- $size := len .value }}
{{- range include "chartgen.references" .value | fromJsonArray }}
  {{- if and (hasKey $.sizes .) (ne . $.name) }}
    {{- $size = sub (add $size (get $.sizes .)) (len . | add 3) }}
  {{- end }}
{{- end }}
{{- $size }}
{{- end -}}

{{/*
Refuses a variable that is too long for Linux. Takes (dict "name" NAME "size" BYTES "who" WHO "hint"
HINT).
*/}}
{{- define "chartgen.checkEnvSize" -}}
{{- $size := add .size (len .name) 2 | int }}
{{- if gt $size 131072 }}
  {{- fail (printf "%s%s would have %d bytes; Linux allows 131072 for one env string%s" .who .name
    $size (.hint | default "")) }}
{{- end }}
{{- end -}}

{{/*
The same for what the framework sets, in the last replica of each role. Takes (dict "root" $ "job"
JOB).
*/}}
{{- define "chartgen.checkEnvSizes" -}}
{{- $job := .job }}
{{- $configs := dict }}
{{- range $job.configs }}
  {{- $_ := set $configs (include "chartgen.name" (dict "root" $.root "id" $job.id "name" .name))
    .data }}
{{- end }}
{{- range $name, $role := $job.plan.roles }}
{{- $spec := get $.root.Values.roles $name }}
{{- if and (int $spec.replicas) (not $role.noJobs) }}
  {{- $last := sub (int $spec.replicas) 1 | toString }}
  {{- $context := dict "root" $.root "plan" $job.plan "id" $job.id "role" $name "spec" $spec
    "index" $last }}
  {{- /* only ranks */}}
  {{- $context = merge (dict "rank" $last "first" "0") $context }}
  {{- /* end ranks */}}
  {{- $sizes := dict }}
  {{- range (include "chartgen.framework" $context | fromJson).env }}
    {{- $size := 0 }}
    {{- if hasKey . "value" }}
      {{- $size = include "chartgen.envSize" (merge (dict "sizes" $sizes) .) | int }}
    {{- else }}
      {{- with .valueFrom.configMapKeyRef }}
        {{- $size = get (get $configs .name | default dict) .key | len }}
      {{- end }}
    {{- end }}
    {{- $_ := set $sizes .name $size }}
    {{- include "chartgen.checkEnvSize" (dict "who" "" "name" .name "size" $size "hint"
      (printf ": %s" $job.plan.peersHint)) }}
  {{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The variables that a text refers to, as a JSON list; $$ is an escaped $. */}}
{{- define "chartgen.references" -}}
{{- $names := list }}
{{- range regexFindAll "\\$\\([^()]+\\)" (replace "$$" "" .) -1 }}
  {{- $names = append $names (trimPrefix "$(" . | trimSuffix ")") }}
{{- end }}
{{- toJson $names }}
{{- end -}}
