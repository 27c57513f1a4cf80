{{/*
An object for every replica of every role. It is printed once per role and override, and split where
the index belongs: ten thousand replicas cost one join each. Takes (dict "root" $ "template" NAME),
where NAME prints one for a variant of a role. Called by `template`, which, unlike `include`, does
not copy megabytes.
*/}}
{{- define "chartgen.eachReplica" -}}
{{- $job := .root.Job }}
{{- $mark := printf "%si" $job.mark }}
{{- range $name, $role := .root.Values.roles }}
{{- /* only managed */}}
{{- if not (get $job.plan.roles $name).noJobs }}
{{- /* end managed */}}
  {{- $count := int $role.replicas }}
  {{- $keys := include "chartgen.overrideKeys" (dict "root" $.root "role" $name) | fromJson }}
  {{- $texts := dict }}
{{- /* only notation */}}
  {{- $first := dict }}
{{- /* end notation */}}
  {{- range $key, $variant := get $job.roles $name }}
    {{- $text := include $.template (dict "root" $.root "plan" $job.plan "id" $job.id "role" $name
      "index" $mark "variant" $variant) }}
{{- /* only notation */}}
    {{- $text = replace (printf `%s\a` $job.mark) "" $text | replace (printf "%ss" $job.mark) " " }}
    {{- if contains (printf "%st" $job.mark) $text }}
      {{- $choice := replace "@" $job.mark "(?s)@t(.*?)@e(.*?)@z" }}
      {{- $_ := set $first $key (regexReplaceAll $choice $text "${1}" | replace
        (printf "%sr" $job.mark) $job.id | splitList $mark) }}
      {{- $text = regexReplaceAll $choice $text "${2}" }}
    {{- end }}
{{- /* end notation */}}
    {{- $_ := set $texts $key (replace (printf "%sr" $job.mark) $job.id $text | splitList $mark) }}
  {{- end }}
{{- /* only ranks */}}
  {{- $rank := include "chartgen.rankMark" (dict "root" $.root "plan" $job.plan "role" $name "mark"
    $job.mark) }}
  {{- $offset := include "chartgen.rankOffset" (dict "root" $.root "plan" $job.plan "role" $name)
    | int }}
  {{- range $index := until $count }}
{{- /* only notation */}}
    {{- if eq $index 1 }}{{ $first = dict }}{{ end }}
    {{- $parts := get $first (get $keys (toString $index)) | default
      (get $texts (get $keys (toString $index))) }}
    {{- join (toString $index) $parts | replace $rank (add $index $offset | toString) | replace
      (printf "%sf" $job.mark) ($index | empty | ternary "1" "0") }}
{{- /* end notation */}}
{{- /* without notation */}}
    {{- get $texts (get $keys (toString $index)) | join (toString $index) | replace $rank
      (add $index $offset | toString) | replace (printf "%sf" $job.mark)
      ($index | empty | ternary "1" "0") }}
{{- /* end notation */}}
  {{- end }}
{{- /* end ranks */}}
{{- /* without ranks */}}
  {{- range $index := until $count | join " " | splitList " " | compact }}
    {{- get $texts (get $keys $index) | join $index }}
  {{- end }}
{{- /* end ranks */}}
{{- /* only managed */}}
{{- end }}
{{- /* end managed */}}
{{- end }}
{{- end -}}

{{/* A replica's Job. */}}
{{- define "chartgen.replicaJob" -}}
{{- $own := .variant.spec.job | default dict }}
{{- $pod := toYaml .variant.pod }}
{{- if not $pod }}{{ fail (printf "roles.%s: the pod cannot be printed as YAML" .role) }}{{ end }}
{{- /* only bare */}}
{{- with (get .plan.roles .role).bare }}{{ include (printf "chartgen.%s" .) $ }}{{ else }}
{{- /* end bare */}}
---
apiVersion: batch/v1
kind: Job
{{- $marks := mergeOverwrite (include "chartgen.marks" . | fromJson)
  ($own.annotations | default dict) }}
metadata:
  {{- merge (dict "labels" $own.labels "annotations" $marks) . | include "chartgen.replicaMetadata"
    | nindent 2 }}
spec:
  {{- range $key := list "backoffLimit" "activeDeadlineSeconds" "ttlSecondsAfterFinished" }}
  {{- if hasKey $.variant.spec $key }}
  {{ $key }}: {{ get $.variant.spec $key | int }}
  {{- end }}
  {{- end }}
  {{- if hasKey .variant.spec "suspend" }}
  suspend: {{ .variant.spec.suspend }}
  {{- end }}
  {{- range $key, $value := merge (omit $own "labels" "annotations")
    (include "chartgen.failurePolicy" (dict "spec" .variant.spec "who" .role "plan" .plan)
    | fromJson) }}
  {{ $key }}: {{ toJson $value }}
  {{- end }}
  template:
    {{- $pod | nindent 4 }}
{{- /* only bare */}}
{{ end }}
{{- end -}}
{{- /* end bare */}}
{{- /* without bare */}}
{{ end -}}
{{- /* end bare */}}

{{/* A replica's Service, if others connect to it. */}}
{{- define "chartgen.replicaService" -}}
{{- $role := get .plan.roles .role }}
{{- $own := .variant.spec.service | default dict }}
{{- if $role.service }}
---
apiVersion: v1
kind: Service
metadata:
  {{- merge (pick $own "labels" "annotations") . | include "chartgen.replicaMetadata" | nindent 2 }}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    {{- include "chartgen.podLabels" . | nindent 4 }}
  {{- range $key, $value := omit $own "labels" "annotations" }}
  {{ $key }}: {{ toJson $value }}
  {{- end }}
  ports:
    - name: {{ $role.portName }}
      port: {{ int .variant.spec.port }}
{{- end }}
{{ end -}}
