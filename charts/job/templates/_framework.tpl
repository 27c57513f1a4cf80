{{/* What the framework adds to a replica, as files/framework.yaml states it. */}}

{{/* The framework's part of a role's pod, as JSON: (dict "root" $ "plan" PLAN "role" ROLE "spec" SPEC "id" ID "index" INDEX). */}}
{{- define "chartgen.framework" -}}
{{- $role := get .plan.roles .role }}
{{- $labels := dict }}
{{- range $key, $parts := $role.labels }}{{ $_ := set $labels $key (include "chartgen.late" (merge (dict "parts" $parts) $)) }}{{ end }}
{{- $part := dict "container" $role.container "portName" $role.portName "service" $role.service "labels" $labels }}
{{- $_ := set $part "env" (include "chartgen.lateEnv" (merge (dict "entries" $role.env) .) | fromJsonArray) }}
{{- $_ := set $part "fields" (include "chartgen.lateTree" (merge (dict "tree" ($role.fields | default dict)) .) | fromJson) }}
{{- $_ := set $part "command" (include "chartgen.words" (merge (dict "words" ($role.command | default list)) .) | fromJsonArray) }}
{{- $_ := set $part "args" (include "chartgen.words" (merge (dict "words" ($role.args | default list)) .) | fromJsonArray) }}
{{- $_ := set $part "waits" (include "chartgen.waits" (merge (dict "waits" ($role.waits | default list)) .) | fromJsonArray) }}
{{- $mounts := $role.mounts | default list }}
{{- if and $role.start (not (or (hasKey .spec "command") (hasKey .spec "args"))) }}
  {{- $_ := set $part "command" (include "chartgen.words" (merge (dict "words" $role.start.command) .) | fromJsonArray) }}
  {{- with $role.start.mount }}{{ $mounts = append $mounts . }}{{ end }}
{{- end }}
{{- $volumes := list }}{{- $volumeMounts := list }}
{{- range $mounts }}
{{- if include "chartgen.holds" (merge (dict "when" (.when | default dict)) $) }}
  {{- $config := include "chartgen.name" (dict "root" $.root "id" $.id "name" .config) }}
  {{- $volumes = append $volumes (dict "name" .volume "configMap" (dict "name" $config)) }}
  {{- $volumeMounts = append $volumeMounts (dict "name" .volume "mountPath" .path) }}
{{- end }}
{{- end }}
{{- range $role.volumes }}
{{- if include "chartgen.holds" (merge (dict "when" (.when | default dict)) $) }}
  {{- $source := include "chartgen.lateTree" (merge (dict "tree" .source) $) | fromJson }}
  {{- $volumes = append $volumes (merge (dict "name" .name) $source) }}
  {{- $volumeMounts = append $volumeMounts (dict "name" .name "mountPath" .path) }}
{{- end }}
{{- end }}
{{- mergeOverwrite $part (dict "volumes" $volumes "volumeMounts" $volumeMounts) | toJson }}
{{- end -}}

{{/* Words of a command line as a JSON list; some are made by a template of the framework's own: (dict "words" LIST ...) and what chartgen.late takes. */}}
{{- define "chartgen.words" -}}
{{- $words := list }}
{{- range .words }}
  {{- if kindIs "slice" . }}{{ $words = append $words (include "chartgen.late" (merge (dict "parts" .) (omit $ "words"))) }}
  {{- else if .words }}{{ $words = concat $words (include (printf "chartgen.%s" .words) (omit $ "words") | fromJsonArray) }}
  {{- else }}{{ $words = concat $words (include "chartgen.lateTree" (merge (dict "tree" .) (omit $ "words")) | default "[]" | fromJsonArray) }}
  {{- end }}
{{- end }}
{{- toJson $words }}
{{- end -}}

{{/* The init containers that wait for others, as a JSON list: (dict "waits" LIST ...) and what chartgen.late takes. */}}
{{- define "chartgen.waits" -}}
{{- $waits := list }}
{{- range .waits }}
{{- if include "chartgen.holds" (merge (dict "when" (.when | default dict)) $) }}
  {{- $wait := include "chartgen.waitContainer" $ | fromYaml }}
  {{- $_ := set $wait "name" .name }}
  {{- $_ := set $wait "env" (include "chartgen.lateEnv" (merge (dict "entries" .env) (omit $ "waits")) | fromJsonArray) }}
  {{- $waits = append $waits $wait }}
{{- end }}
{{- end }}
{{- toJson $waits }}
{{- end -}}

{{- define "chartgen.waitContainer" -}}
image: {{ .root.Values.wait.image | toJson }}
command: [/bin/sh, -c]
args: [{{ .root.Files.Get "files/wait.sh" | toJson }}]
resources:
  requests: {cpu: 10m, memory: 16Mi}
  limits: {memory: 64Mi}
securityContext:
  {{- include "chartgen.restrictedContainer" . | nindent 2 }}
{{- end -}}

{{/* Who decides how the job ends, as JSON: a role (or none), and whether all its replicas do or the first alone. */}}
{{- define "chartgen.decides" -}}
{{- $framework := .Files.Get "files/framework.yaml" | fromYaml -}}
{{- dict "role" $framework.decides "all" ($framework.decidesAll | default false) | toJson -}}
{{- end -}}

{{/* What selects the Jobs that decide: (dict "root" $ "id" ID). */}}
{{- define "chartgen.deciding" -}}
{{- $decides := include "chartgen.decides" .root | fromJson -}}
{{- printf "app.kubernetes.io/instance=%s,chartgen/runtime-id=%s,chartgen/role=%s%s" .root.Release.Name .id $decides.role (ternary "" ",chartgen/index=0" $decides.all) -}}
{{- end -}}
