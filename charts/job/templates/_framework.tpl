{{/* What the framework adds, as files/framework.yaml states it; the late values in there are filled in here. */}}

{{/*
A text made of fixed and late parts: (dict "parts" LIST "root" $ "id" ID "index" INDEX "spec" SPEC "brief" BOOL).
A choice may be an empty text, which merge would take for unset.
*/}}
{{- define "chartgen.late" -}}
{{- range .parts }}
{{- if kindIs "string" . }}{{ . }}
{{- else if eq .late "index" }}{{ $.index }}
{{- else if eq .late "id" }}{{ $.id }}
{{- else if eq .late "job" }}{{ $.root.Chart.Name }}
{{- else if eq .late "count" }}{{ include "chartgen.count" (dict "root" $.root "role" .role) }}
{{- else if eq .late "port" }}{{ include "chartgen.port" (dict "root" $.root "role" .role) }}
{{- else if eq .late "host" }}{{ include "chartgen.replicaName" (dict "root" $.root "id" $.id "role" .role "index" (hasKey . "number" | ternary .number $.index)) }}
{{- else if eq .late "ownPort" }}{{ int $.spec.port }}
{{- else if eq .late "peers" }}{{ include "chartgen.peers" (dict "root" $.root "id" $.id "brief" $.brief "roles" .roles "form" .form) }}
{{- else if eq .late "pick" }}{{ include "chartgen.late" (mergeOverwrite (dict) $ (dict "parts" (get .cases (get (get $.root.Values .of) .option)))) }}
{{- else }}{{ fail (printf "files/framework.yaml: %s is no late value" .late) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* A list of env entries as JSON, late values filled in: (dict "entries" LIST ...) and what chartgen.late takes. */}}
{{- define "chartgen.lateEnv" -}}
{{- $env := list }}
{{- range .entries }}
  {{- if .config }}
    {{- $name := include "chartgen.name" (dict "root" $.root "id" $.id "name" .config) }}
    {{- $key := include "chartgen.late" (merge (dict "parts" .key) $) }}
    {{- $env = append $env (dict "name" .name "valueFrom" (dict "configMapKeyRef" (dict "name" $name "key" $key))) }}
  {{- else }}
    {{- $env = append $env (dict "name" .name "value" (include "chartgen.late" (merge (dict "parts" .value) $))) }}
  {{- end }}
{{- end }}
{{- toJson $env }}
{{- end -}}

{{/* The framework's part of a role's pod, as JSON: (dict "root" $ "plan" PLAN "role" ROLE "spec" SPEC "id" ID "index" INDEX). */}}
{{- define "chartgen.framework" -}}
{{- $role := get .plan.roles .role }}
{{- $labels := dict }}
{{- range $key, $parts := $role.labels }}{{ $_ := set $labels $key (include "chartgen.late" (merge (dict "parts" $parts) $)) }}{{ end }}
{{- $part := dict "container" $role.container "portName" $role.portName "service" $role.service "labels" $labels }}
{{- $_ := set $part "env" (include "chartgen.lateEnv" (merge (dict "entries" $role.env) .) | fromJsonArray) }}
{{- $mounts := list }}
{{- range $role.mounts }}
  {{- if or (not .when) (eq (get (get $.root.Values .when.of) .when.option) .when.case) }}{{ $mounts = append $mounts . }}{{ end }}
{{- end }}
{{- if and $role.start (not (or (hasKey .spec "command") (hasKey .spec "args"))) }}
  {{- $command := list }}
  {{- range $role.start.command }}{{ $command = append $command (include "chartgen.late" (merge (dict "parts" .) $)) }}{{ end }}
  {{- $_ := set $part "command" $command }}
  {{- $mounts = append $mounts $role.start.mount }}
{{- end }}
{{- $volumes := list }}{{- $volumeMounts := list }}
{{- range $mounts }}
  {{- $config := include "chartgen.name" (dict "root" $.root "id" $.id "name" .config) }}
  {{- $volumes = append $volumes (dict "name" .volume "configMap" (dict "name" $config)) }}
  {{- $volumeMounts = append $volumeMounts (dict "name" .volume "mountPath" .path) }}
{{- end }}
{{- mergeOverwrite $part (dict "volumes" $volumes "volumeMounts" $volumeMounts) | toJson }}
{{- end -}}

{{/* The role whose replica 0 decides how the job ends. */}}
{{- define "chartgen.decides" -}}
{{- (.Files.Get "files/framework.yaml" | fromYaml).decides -}}
{{- end -}}
