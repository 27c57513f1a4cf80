{{/* What the end of a pod means to its Job, where a failed pod is replaced by a new one (restartPolicy Never). */}}

{{/*
A Job's podFailurePolicy as JSON, or {}: (dict "spec" SPEC "who" ROLE "plan" PLAN). A pod that is preempted, evicted or drained has not
failed, unless its framework can start it only once; exit codes that are permanent fail the Job at once, and others count against backoffLimit.
*/}}
{{- define "chartgen.failurePolicy" -}}
{{- $codes := .spec.exitCodes | default "none" }}
{{- if eq (toString (.spec.job | default dict).podReplacementPolicy) "TerminatingOrFailed" }}{}{{/* excludes a policy */}}
{{- else if eq (toString .spec.restartPolicy) "Never" }}
  {{- $disrupted := list (dict "type" "DisruptionTarget" "status" "True") (dict "type" "TerminationTarget" "status" "True") }}
  {{- $rules := list (dict "action" "Ignore" "onPodConditions" $disrupted) }}
  {{- if and (get .plan.roles .who).once (eq (toString .spec.backoffLimit) "0") }}{{ $rules = list }}{{ end }}
  {{- if eq (toString $codes) "tfjob" }}{{ $codes = dict "permanent" (untilStep 1 128 1) }}
  {{- else if eq (toString $codes) "tf-operator" }}{{ $codes = dict "retryable" (list 130 137 138 143) }}{{ end }}
  {{- if kindIs "map" $codes }}
    {{- $said := dict }}{{ range $codes.permanent | default $codes.retryable }}{{ $_ := set $said (toString (int .)) true }}{{ end }}
    {{- $values := list }}{{ range untilStep 1 256 1 }}{{ if hasKey $said (toString .) }}{{ $values = append $values . }}{{ end }}{{ end }}{{/* in order */}}
    {{- $exit := dict "containerName" (get .plan.roles .who).container "operator" (empty $codes.permanent | ternary "NotIn" "In") "values" $values }}
    {{- $rules = append $rules (dict "action" "FailJob" "onExitCodes" $exit) }}
  {{- end }}
  {{- empty $rules | ternary dict (dict "podFailurePolicy" (dict "rules" $rules)) | toJson }}
{{- else if ne (toString $codes) "none" }}
  {{- fail (printf "roles.%s: exitCodes needs restartPolicy: Never, because with OnFailure the kubelet restarts a program whatever its exit code" .who) }}
{{- else }}{}
{{- end }}
{{- end -}}
