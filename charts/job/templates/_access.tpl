{{/* Who may ask the cluster's API, and what. */}}

{{/* The rules that hold, as a JSON list: (dict "root" $ "plan" PLAN). */}}
{{- define "chartgen.rules" -}}
{{- $rules := list }}
{{- range .plan.rules }}
  {{- if include "chartgen.holds" (dict "root" $.root "when" .when) }}{{ $rules = append $rules .rule }}{{ end }}
{{- end }}
{{- toJson $rules }}
{{- end -}}

{{/* What the pod of the clean-up may do. */}}
{{- define "chartgen.cleanupRules" -}}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [list, patch]
{{- end -}}

{{/* What the pods may do that remove what was made at run time. */}}
{{- define "chartgen.straysRules" -}}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [list, delete]
- apiGroups: [""]
  resources: [pods]
  verbs: [list, delete]
{{- end -}}

{{/*
What a Role of the user's own has to allow where the chart makes none, a line for each account that asks, nothing if none does:
(dict "root" $ "job" JOB).
*/}}
{{- define "chartgen.ownRights" -}}
{{- $own := .root.Values.serviceAccountName | default "default" }}
{{- $rules := include "chartgen.rules" (dict "root" .root "plan" .job.plan) | fromJsonArray }}
{{- with $rules }}
  its pods: {{ include "chartgen.rightsInWords" . }}
{{- end }}
{{- if and .root.Values.cleanup.enabled (include "chartgen.decides" .root | fromJson).role }}
  {{ $own }}, which cleans up: {{ include "chartgen.cleanupRules" . | fromYamlArray | include "chartgen.rightsInWords" }}
{{- end }}
{{- if .job.plan.strays }}
  {{ $own }}, which removes what is made at run time: {{ include "chartgen.straysRules" . | fromYamlArray | include "chartgen.rightsInWords" }}
{{- end }}
{{- end -}}

{{/* Rules as text: "pods (get, list), jobs (delete)". */}}
{{- define "chartgen.rightsInWords" -}}
{{- $words := list }}
{{- range . }}{{ $words = append $words (printf "%s (%s)" (join ", " .resources) (join ", " .verbs)) }}{{ end }}
{{- join ", " $words }}
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
