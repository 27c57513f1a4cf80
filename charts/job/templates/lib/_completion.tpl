{{/* The replicas that decide how the job ends. */}}

{{/*
Who decides how the job ends, as JSON. That is a role or none, and whether all its replicas decide
or only the first.
*/}}
{{- define "chartgen.decides" -}}
{{- (include "chartgen.plan" . | fromYaml).decides | toJson -}}
{{- end -}}

{{/* What selects the Jobs that decide. Takes (dict "root" $ "id" ID). */}}
{{- define "chartgen.deciding" -}}
{{- $decides := include "chartgen.decides" .root | fromJson -}}
{{- printf "app.kubernetes.io/instance=%s,chartgen/runtime-id=%s,chartgen/role=%s%s"
  .root.Release.Name .id $decides.role (ternary "" ",chartgen/index=0" $decides.all) -}}
{{- end -}}

{{/*
What to do once they have ended: a cleanup policy, or nothing. A bare word is short for a policy.
*/}}
{{- define "chartgen.cleansUp" -}}
{{- $cleanup := kindIs "map" .Values.cleanup | ternary .Values.cleanup
  (dict "policy" .Values.cleanup) }}
{{- $policy := hasKey $cleanup "enabled" | ternary
  (ternary "suspend" "none" (eq (toString $cleanup.enabled) "true")) $cleanup.policy }}
{{- if and (eq $policy "suspend") (eq (toString $cleanup.policy) "delete") }}
  {{- $policy = "delete" }}
{{- end }}
{{- $role := (include "chartgen.decides" . | fromJson).role }}
{{- if and $role (ne $policy "none") }}
  {{- if not (get (include "chartgen.plan" . | fromYaml).roles $role).bare }}{{ $policy }}{{ end }}
{{- end }}
{{- end -}}

{{/*
The annotations of a role's Jobs: which of them decide, or that Argo CD need not wait for them.
Takes (dict "plan" PLAN "role" ROLE).
*/}}
{{- define "chartgen.marks" -}}
{{- with .plan.decides }}
{{- if eq .role $.role }}{{ dict "chartgen/decides" (.all | ternary "all" "first") | toJson }}
{{- else if and .role (get $.plan.roles $.role).serves }}
  {{- dict "argocd.argoproj.io/ignore-healthcheck" "true" | toJson }}
{{- else }}{}{{ end }}
{{- end }}
{{- end -}}
