{{/* The pods that Angel creates, as properties of its job. */}}

{{/*
The resources of a role, as JSON. Takes (dict "role" ROLE "word" WORD_OF_ANGEL "spec" SPEC).
*/}}
{{- define "chartgen.angelSize" -}}
{{- $found := dict }}
{{- $resources := .spec.resources | default dict }}
{{- range $name, $quantity := include "chartgen.requests" .spec | fromJson }}
  {{- $amount := include "chartgen.amount" $quantity | float64 }}
  {{- if eq $name "memory" }}{{ $amount = divf $amount 1073741824 }}{{ end }}
  {{- if not (has $name (list "cpu" "memory")) }}
    {{- fail (printf "roles.%s: Angel can only request CPUs and memory, not %s" $.role $name) }}
  {{- end }}
  {{- if or (ne (floor $amount) $amount) (lt $amount 1.0) }}
    {{- fail (printf "roles.%s.resources: %v of %s; Angel only supports whole CPUs and GiB" $.role
      $quantity $name) }}
  {{- end }}
  {{- $_ := set $found (printf "angel.%s.%s" $.word
    (eq $name "cpu" | ternary "cpu.vcores" "memory.gb")) (int64 $amount | toString) }}
{{- end }}
{{- with ($resources.limits | default dict).cpu }}
  {{- $_ := set $found (printf "angel.kubernetes.%s.limit.cores" $.role)
    (include "chartgen.text" .) }}
{{- end }}
{{- toJson $found }}
{{- end -}}

{{/*
The other properties of pods, as JSON. Takes (dict "maker" "master" or "executor" "role" ROLE "spec"
SPEC "labels" LABELS).
*/}}
{{- define "chartgen.angelPods" -}}
{{- $found := dict }}
{{- $prefix := printf "angel.kubernetes.%s" .maker }}
{{- range $key, $value := mergeOverwrite (deepCopy (.spec.labels | default dict)) .labels }}
  {{- $_ := set $found (printf "%s.label.%s" $prefix $key) (include "chartgen.text" $value) }}
{{- end }}
{{- range $key, $value := .spec.annotations }}
  {{- $_ := set $found (printf "%s.annotation.%s" $prefix $key) (include "chartgen.text" $value) }}
{{- end }}
{{- range $name, $value := .spec.env }}
  {{- if kindIs "map" $value }}
    {{- $key := dig "valueFrom" "secretKeyRef" dict $value }}
    {{- if not $key }}
      {{- fail (printf "roles.%s.env.%s: Angel can only set values and keys of Secrets" $.role
        $name) }}
    {{- end }}
    {{- $_ := set $found (printf "%s.secretKeyRef.%s" $prefix $name)
      (printf "%s:%s" $key.name $key.key) }}
  {{- else if not (kindIs "invalid" $value) }}
    {{- $_ := set $found (printf "%sEnv.%s" $prefix $name) (include "chartgen.text" $value) }}
  {{- end }}
{{- end }}
{{- $volumes := dict }}{{- range .spec.volumes }}{{ $_ := set $volumes .name . }}{{ end }}
{{- range .spec.volumeMounts }}
  {{- $volume := get $volumes .name }}
  {{- $kind := omit $volume "name" | keys | first }}
  {{- $source := get $volume $kind }}
  {{- if eq $kind "secret" }}
    {{- $_ := set $found (printf "%s.secrets.%s" $prefix $source.secretName) .mountPath }}
  {{- else }}
    {{- if not (has $kind (list "hostPath" "emptyDir" "persistentVolumeClaim")) }}
      {{- fail (printf "roles.%s: Angel cannot mount a %s in its pods" $.role $kind) }}
    {{- end }}
    {{- $volumePrefix := printf "%s.volumes.%s.%s" $prefix $kind .name }}
    {{- $_ := set $found (printf "%s.mount.path" $volumePrefix) .mountPath }}
    {{- if or .readOnly $source.readOnly }}
      {{- $_ := set $found (printf "%s.mount.readOnly" $volumePrefix) "true" }}
    {{- end }}
    {{- range $option := list "path" "claimName" "medium" "sizeLimit" }}
      {{- with get $source $option }}
        {{- $_ := set $found (printf "%s.options.%s" $volumePrefix $option)
          (include "chartgen.text" .) }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- toJson $found }}
{{- end -}}
