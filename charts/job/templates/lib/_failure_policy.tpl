{{/*
A Job's podFailurePolicy as JSON, or {}. It needs restartPolicy Never. A pod that is preempted,
evicted or drained has not failed, unless its framework can start it only once; permanent exit codes
fail the Job at once, and others count against backoffLimit. Takes (dict "spec" SPEC "who" ROLE
"plan" PLAN).
*/}}
{{- define "chartgen.failurePolicy" -}}
{{- $codes := .spec.exitCodes | default "none" }}{{ $word := toString $codes }}
{{- $replaced := (.spec.job | default dict).podReplacementPolicy | toString }}
{{- if eq $replaced "TerminatingOrFailed" }}{}
  {{- if ne $word "none" }}
    {{- fail (print "roles." .who ": with exitCodes, podReplacementPolicy can only be Failed") }}
  {{- end }}
{{- else if eq (toString .spec.restartPolicy) "Never" }}
  {{- $disrupted := list (dict "type" "DisruptionTarget" "status" "True")
    (dict "type" "TerminationTarget" "status" "True") }}
  {{- $rules := list (dict "action" "Ignore" "onPodConditions" $disrupted) }}
{{- /* only once */}}
  {{- if and (get .plan.roles .who).once (eq (toString .spec.backoffLimit) "0") }}
    {{- $rules = list }}
  {{- end }}
{{- /* end once */}}
  {{- if eq $word "tfjob" }}{{ $codes = dict "permanent" (untilStep 1 128 1) }}
  {{- else if eq $word "tf-operator" }}
    {{- $codes = dict "retryable" (list 130 137 138 143) }}
  {{- end }}
  {{- if kindIs "map" $codes }}
    {{- $said := $codes.permanent | default $codes.retryable | toJson | fromJsonArray }}
    {{- $values := list }}
    {{- range untilStep 1 256 1 }}
      {{- if has (float64 .) $said }}{{ $values = append $values . }}{{ end }}
    {{- end }}
    {{- $exit := dict "containerName" (get .plan.roles .who).container "operator"
      (empty $codes.permanent | ternary "NotIn" "In") "values" $values }}
    {{- $rules = append $rules (dict "action" "FailJob" "onExitCodes" $exit) }}
  {{- end }}
{{- /* only once */}}
  {{- empty $rules | ternary dict (dict "podFailurePolicy" (dict "rules" $rules)) | toJson }}
{{- /* end once */}}
{{- /* without once */}}
  {{- dict "podFailurePolicy" (dict "rules" $rules) | toJson }}
{{- /* end once */}}
{{- else if ne $word "none" }}
  {{- fail (print "roles." .who ": exitCodes needs restartPolicy: Never, because with OnFailure "
    "the kubelet restarts a program whatever its exit code") }}
{{- else }}{}
{{- end }}
{{- end -}}
