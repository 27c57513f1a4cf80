{{/* Late values in texts of the job: %{index}, %{host scheduler}, %{peers worker} and so on. */}}

{{/*
Fills in the variables, command and arguments of a replica, in place. A list of peers is in a
ConfigMap, and a variable refers to it: in every pod it would make the release too large. Takes
(dict "root" $ "plan" PLAN "role" ROLE "spec" SPEC "mark" MARK), with "id", "index", "rank" and
"first".
*/}}
{{- define "chartgen.fillSpec" -}}
{{- $context := merge (dict "used" dict) . }}
{{- range $name, $value := .spec.env }}
  {{- if kindIs "string" $value }}
    {{- $_ := merge (dict "text" $value "who" (printf "roles.%s.env.%s" $.role $name)) $context
      | include "chartgen.fill" | set $.spec.env $name }}
  {{- end }}
{{- end }}
{{- range $field := list "command" "args" }}
  {{- $texts := list }}
  {{- range $number, $text := get $.spec $field | default list }}
    {{- $texts = append $texts (include "chartgen.fill" (merge (dict "text"
      (include "chartgen.text" $text) "who" (printf "roles.%s.%s[%d]" $.role $field $number))
      $context)) }}
  {{- end }}
  {{- with $texts }}{{ $_ := set $.spec $field . }}{{ end }}
{{- end }}
{{- with $context.used }}
  {{- $env := $.spec.env | default dict }}
  {{- range $key, $_ := . }}
    {{- $reference := dict "name" (include "chartgen.name" (dict "root" $.root "id" $.id "name"
      "lists")) "key" $key }}
    {{- $_ := dict "valueFrom" (dict "configMapKeyRef" $reference) | set $env
      (include "chartgen.listVariable" $key) }}
  {{- end }}
  {{- $_ := set $.spec "env" $env }}
  {{- $_ := mergeOverwrite ($.root.JobLists | default dict) . | set $.root "JobLists" }}
{{- end }}
{{- end -}}

{{- define "chartgen.listVariable" -}}
{{- replace "-" "_" . | upper | printf "CHARTGEN_%s" }}
{{- end -}}

{{/*
The ConfigMap of the lists, as JSON, if there are any. Takes the dict of chartgen.readConfigs.
*/}}
{{- define "chartgen.listConfig" -}}
{{- $data := dict }}
{{- range $key, $list := .root.JobLists }}
  {{- $_ := set $data $key (include "chartgen.peerList" (merge (deepCopy $list) $)) }}
{{- end }}
{{- if $data }}{{ dict "name" "lists" "data" $data | toJson }}{{ end }}
{{- end -}}

{{/* Refuses a text that is too long with its lists. Takes (dict "root" $ "job" JOB). */}}
{{- define "chartgen.checkLists" -}}
{{- $lists := dict }}
{{- range .job.configs }}
  {{- if eq .name "lists" }}{{ $lists = .data }}{{ end }}
{{- end }}
{{- range $role, $variants := empty $lists | ternary dict .job.roles }}
  {{- range $variant := $variants }}
    {{- $texts := dict }}
    {{- range $name, $value := .spec.env }}
      {{- if kindIs "string" $value }}{{ $_ := set $texts $name $value }}{{ end }}
    {{- end }}
    {{- range $field := list "command" "args" }}
      {{- range $number, $text := get $variant.spec $field | default list }}
        {{- $_ := set $texts (printf "%s[%d]" $field $number) $text }}
      {{- end }}
    {{- end }}
    {{- range $name, $text := $texts }}
      {{- $size := len $text }}
      {{- range $key, $list := $lists }}
        {{- $size = splitList (include "chartgen.listVariable" $key) $text | len | add -1
          | mul (len $list) | add $size }}
      {{- end }}
      {{- include "chartgen.checkEnvSize" (dict "who" (printf "roles.%s: " $role) "name" $name
        "size" $size) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end -}}

{{/*
A text with its late values. %%{ is a %{ that stays, and %%%{ a % before a late value. Takes the
dict of chartgen.fillSpec with "text" and "who"; without a role, nothing of a replica's own is
known.
*/}}
{{- define "chartgen.fill" -}}
{{- $closed := `%+\{(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'{}])*\}` }}
{{- $pattern := printf `(?s)(?:%%%%)+\{|%s|%%+\{.*` $closed }}
{{- $between := regexSplit $pattern .text -1 }}
{{- $text := first $between }}{{- $open := "" }}{{- $chooses := false }}
{{- range $number, $found := regexFindAll $pattern .text -1 }}
  {{- $signs := regexFind "^%+" $found }}
  {{- $hole := trimPrefix $signs $found | printf "%%%s" }}
  {{- if not (regexMatch (printf "(?s)^(?:%s)$" $closed) $found) }}{{ $hole = "%{" }}{{ end }}
  {{- $text = print $text (trunc (div (len $signs) 2 | int) $signs) }}
  {{- $words := regexFindAll `"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']+` (trimPrefix "%{" $hole
    | trimSuffix "}") -1 }}
  {{- $said := join " " $words }}
  {{- $fault := "" }}
  {{- $value := "" }}
  {{- if empty (mod (len $signs) 2) }}{{ $value = "{" }}
  {{- else if has $said (list "if first" "else" "end") }}
    {{- $after := dict "if first" (list "") "else" (list "if") "end" (list "if" "else") }}
    {{- if not (and $.role (get $after $said | has $open)) }}
      {{- $fault = "expected %{if first}...%{else}...%{end}, in a variable or an argument" }}
    {{- else if eq $said "if first" }}
      {{- $open = "if" }}{{- $chooses = true }}{{- $value = printf "%st" $.mark }}
    {{- else if eq $said "else" }}{{ $open = "else" }}{{ $value = printf "%se" $.mark }}
    {{- else }}
      {{- $value = printf "%sz" $.mark }}
      {{- if eq $open "if" }}{{ $value = printf "%se%s" $.mark $value }}{{ end }}
      {{- $open = "" }}
    {{- end }}
  {{- else }}
    {{- $value = include "chartgen.hole" (merge (dict "hole" $hole "words" $words "before" $text)
      $) }}
  {{- end }}
  {{- with $fault }}{{ fail (printf "%s: %s: %s" $.who $hole .) }}{{ end }}
  {{- $text = print $text $value (add1 $number | int | index $between) }}
{{- end }}
{{- if $open }}{{ fail (printf "%s: %%{if first} without %%{end}" .who) }}{{ end }}
{{- if and .mark (contains (.mark | default "@") $text) (or $chooses (not (contains "\n" $text))) }}
  {{- /* A bell makes YAML quote the text, whatever the marks become; no line breaks at a mark. */}}
  {{- $text = replace " " (printf "%ss" .mark) $text | printf "%s\a%s" .mark }}
{{- end }}
{{- $text }}
{{- end -}}
