{{/*
Completes a pod to meet the restricted Pod Security Standard, in place; what the job says wins.
*/}}
{{- define "chartgen.restrict" -}}
{{- $pod := include "chartgen.restrictedPod" . | fromYaml }}
{{- $_ := set .spec "securityContext" (mergeOverwrite $pod
  (.spec.securityContext | default dict)) }}
{{- range concat .spec.containers (.spec.initContainers | default list) }}
  {{- $container := include "chartgen.restrictedContainer" $ | fromYaml }}
  {{- $_ := set . "securityContext" (mergeOverwrite $container (.securityContext | default dict)) }}
{{- end }}
{{- end -}}

{{/* The same for the chart's own pods, which write nothing. Their user is nobody else's. */}}
{{- define "chartgen.harden" -}}
{{- include "chartgen.restrict" . }}
{{- range list "runAsUser" "runAsGroup" "fsGroup" }}
  {{- $_ := set $.spec.securityContext . 65532 }}
{{- end }}
{{- range .spec.containers }}{{ $_ := set .securityContext "readOnlyRootFilesystem" true }}{{ end }}
{{- end -}}

{{- define "chartgen.restrictedPod" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "chartgen.restrictedContainer" -}}
allowPrivilegeEscalation: false
capabilities: {drop: [ALL]}
{{- end -}}
