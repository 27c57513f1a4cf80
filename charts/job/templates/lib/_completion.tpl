{{/* The replicas that decide how the job ends. */}}

{{/* What selects the Jobs that decide. Takes (dict "root" $ "id" ID). */}}
{{- define "chartgen.deciding" -}}
{{- $decides := .root.Job.plan.decides -}}
{{- /* only many */}}
{{- include "chartgen.selector" . }},chartgen/role={{ $decides.role }}
{{- or $decides.all $decides.any | empty | ternary ",chartgen/index=0" "" -}}
{{- /* end many */}}
{{- /* without many */}}
{{- include "chartgen.selector" . }},chartgen/role={{ $decides.role }},chartgen/index=0
{{- /* end many */}}
{{- end -}}

{{/*
What to do once they have ended: a cleanup policy, or nothing. A bare word is short for a policy.
*/}}
{{- define "chartgen.cleansUp" -}}
{{- include "chartgen.job" . }}
{{- $cleanup := .Values.cleanup }}
{{- $policy := $cleanup }}
{{- if kindIs "map" $cleanup }}
  {{- $policy = $cleanup.policy | default "suspend" }}
  {{- $enabled := toString $cleanup.enabled }}
  {{- if eq $enabled "false" }}{{ $policy = "none" }}
  {{- else if and (eq $enabled "true") (ne $policy "delete") }}{{ $policy = "suspend" }}{{ end }}
{{- end }}
{{- /* only bare */}}
{{- with .Job.plan.decides.role }}
  {{- if not (or (eq $policy "none") (get $.Job.plan.roles .).bare) }}{{ $policy }}{{ end }}
{{- end }}
{{- /* end bare */}}
{{- /* without bare */}}
{{- if and .Job.plan.decides.role (ne $policy "none") }}{{ $policy }}{{ end }}
{{- /* end bare */}}
{{- end -}}

{{/*
The annotations of a role's Jobs: which of them decide, or that Argo CD need not wait for them.
Takes (dict "plan" PLAN "role" ROLE).
*/}}
{{- define "chartgen.marks" -}}
{{- with .plan.decides }}
{{- if eq .role $.role }}
{{- /* only many */}}
  {{- $who := empty .any | ternary (.all | ternary "all" "first") "any" }}
  {{- dict "chartgen/decides" $who | toJson }}
{{- /* end many */}}
{{- /* without many */}}
  {{- dict "chartgen/decides" "first" | toJson }}
{{- /* end many */}}
{{- else if and .role (get $.plan.roles $.role).serves }}
  {{- dict "argocd.argoproj.io/ignore-healthcheck" "true" | toJson }}
{{- else }}{}{{ end }}
{{- end }}
{{- end -}}
