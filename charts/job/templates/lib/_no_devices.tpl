{{/* This chart has no cloud data: its job requests no device and names no cloud. */}}

{{/* Refuses a cloud that does not exist; custom clouds are accepted as they are. */}}
{{- define "chartgen.checkCloud" -}}
{{- $name := .Values.cloud | default "none" }}
{{- $known := concat (.Files.Get "files/clouds.txt" | trim | splitList "\n")
  (keys (.Values.clouds | default dict)) }}
{{- if not (has $name $known) }}
  {{- fail (print "cloud: no cloud is named " $name "; expected one of "
    (uniq $known | sortAlpha | join ", ") ", or one of your own under clouds") }}
{{- end }}
{{- end -}}

{{/* Refuses a device that is requested at install. Takes (dict "who" WHO "spec" SPEC). */}}
{{- define "chartgen.checkRequest" -}}
{{- $accelerator := .spec.accelerator | default dict }}
{{- $counts := not (and (hasKey $accelerator "count") (not (int $accelerator.count))) }}
{{- $short := dict "gpu" (int .spec.gpu) "accelerator" (and $accelerator $counts) "fabric"
  (ne (.spec.fabric | default "none") "none") }}
{{- range $key, $requested := $short }}
  {{- if $requested }}{{ include "chartgen.noCloudData" (dict "who" $.who "what" $key) }}{{ end }}
{{- end }}
{{- end -}}

{{/* The same for the limits of all containers of a pod. Takes (dict "who" WHO "pod" POD). */}}
{{- define "chartgen.checkLimits" -}}
{{- range concat .pod.spec.containers (.pod.spec.initContainers | default list) }}
  {{- range $resource, $_ := include "chartgen.devices" . | fromJson }}
    {{- include "chartgen.noCloudData" (dict "who" $.who "what" $resource) }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "chartgen.noCloudData" -}}
{{- fail (print .who " requests " .what ", and this chart carries no cloud data for devices: "
  "render it again with the device in the job description, or with --clouds all") }}
{{- end -}}
