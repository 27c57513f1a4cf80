{{/* Who may ask the cluster's API, and what. */}}

{{/* The rules that hold, as a JSON list: (dict "root" $ "plan" PLAN). */}}
{{- define "chartgen.rules" -}}
{{- $rules := list }}
{{- range .plan.rules }}
  {{- if include "chartgen.holds" (dict "root" $.root "when" .when) }}{{ $rules = append $rules .rule }}{{ end }}
{{- end }}
{{- toJson $rules }}
{{- end -}}

{{/* Whether a role's pods ask the API: (dict "root" $ "plan" PLAN "role" ROLE). */}}
{{- define "chartgen.asksApi" -}}
{{- if and (get .plan.roles .role).api (include "chartgen.rules" . | fromJsonArray) }}true{{ end }}
{{- end -}}

{{/* The service account of a role's pods: (dict "root" $ "plan" PLAN "role" ROLE "spec" SPEC "id" ID). */}}
{{- define "chartgen.account" -}}
{{- if .spec.serviceAccountName }}{{ .spec.serviceAccountName }}
{{- else if and .root.Values.rbac.create (include "chartgen.asksApi" .) }}{{ include "chartgen.name" (dict "root" .root "id" .id "name" "access") }}
{{- else }}default
{{- end }}
{{- end -}}
