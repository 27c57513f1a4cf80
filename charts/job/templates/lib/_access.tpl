{{/* Access to the Kubernetes API. */}}

{{- /* only api */}}
{{/*
The service account of a role's pods. Takes (dict "root" $ "plan" PLAN "role" ROLE "spec" SPEC "id"
ID).
*/}}
{{- define "chartgen.account" -}}
{{- if .spec.serviceAccountName }}{{ .spec.serviceAccountName }}
{{- else if and .root.Values.rbac.create (include "chartgen.usesApi" .) }}
  {{- include "chartgen.name" (dict "root" .root "id" .id "name" "access") }}
{{- else }}default
{{- end }}
{{- end -}}

{{/* Whether a role's pods use the API. Takes (dict "root" $ "plan" PLAN "role" ROLE). */}}
{{- define "chartgen.usesApi" -}}
{{- if and (get .plan.roles .role).api (include "chartgen.rules" . | fromYamlArray) }}true{{ end }}
{{- end -}}

{{- /* end api */}}
{{/* Binds a Role to the account of the same name. */}}
{{- define "chartgen.binding" -}}
{{- $name := include "chartgen.name" . -}}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ $name }}
subjects:
  - kind: ServiceAccount
    name: {{ $name }}
    namespace: {{ .root.Release.Namespace | quote }}
{{- end -}}

{{- define "chartgen.cleanupVerb" -}}
{{- ternary "delete" "patch" (eq (include "chartgen.cleansUp" .) "delete") -}}
{{- end -}}

{{/* The names of all Jobs of replicas, as the lines of a list; nothing if there are none. */}}
{{- define "chartgen.jobNames" -}}
{{- $names := dict "root" . "id" .Job.id }}
{{- range $name, $role := .Values.roles }}
{{- /* only jobless */}}
{{- $planned := get $.Job.plan.roles $name }}
{{- if not (or $planned.noJobs $planned.bare) }}
{{- /* end jobless */}}
  {{- $prefix := include "chartgen.replicaName" (merge (dict "role" $name "index" "") $names) }}
  {{- range $index := until (int $role.replicas) }}
- {{ $prefix }}{{ $index }}
  {{- end }}
{{- /* only jobless */}}
{{- end }}
{{- /* end jobless */}}
{{- end }}
{{- end -}}

{{- /* only strays */}}
{{/* What the pods that remove pods created at run time may do. */}}
{{- define "chartgen.straysRules" -}}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [list, delete]
- apiGroups: [""]
  resources: [pods]
  verbs: [list, delete]
{{- end -}}

{{- /* end strays */}}
{{/*
What the user's own Roles must allow if the chart creates none, a line per account. Takes (dict
"root" $ "job" JOB).
*/}}
{{- define "chartgen.ownRights" -}}
{{- $own := .root.Values.serviceAccountName | default "default" }}
{{- /* only api */}}
{{- with include "chartgen.rules" (dict "root" .root) | fromYamlArray }}
  its pods: {{ include "chartgen.rightsInWords" . }}
{{- end }}
{{- /* end api */}}
{{- if include "chartgen.cleansUp" .root }}
  {{ $own }}, which cleans up: jobs (list, {{ include "chartgen.cleanupVerb" .root }})
{{- end }}
{{- /* only keys */}}
{{- if include "chartgen.makesKeys" . }}
  {{ $own }}, which makes the ssh keys: {{ include "chartgen.keyRules" . | fromYamlArray
    | include "chartgen.rightsInWords" }}
{{- end }}
{{- /* end keys */}}
{{- /* only strays */}}
{{- if include "chartgen.unmanaged" . }}
  {{ $own }}, which removes what is made at run time: {{ include "chartgen.straysRules" .
    | fromYamlArray | include "chartgen.rightsInWords" }}
{{- end }}
{{- /* end strays */}}
{{- end -}}

{{- /* only managed */}}
{{/* The pod that pods created at run time read under the default account; empty if none do. */}}
{{- define "chartgen.watched" -}}
{{- $plan := .Job.plan }}
{{- range $name, $role := .Values.roles }}
{{- if and $.Values.rbac.create (get $plan.roles $name).watches (int $role.replicas) }}
  {{- $bare := (get $plan.roles $plan.decides.role).bare }}
  {{- include (printf "chartgen.%sName" $bare) (dict "root" $ "id" $.Job.id) }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* end managed */}}
{{- /* only rights */}}
{{/* Rules as text: "pods (get, list), jobs (delete)". */}}
{{- define "chartgen.rightsInWords" -}}
{{- $words := list }}
{{- range . }}
  {{- $words = append $words (printf "%s (%s)" (join ", " .resources) (join ", " .verbs)) }}
{{- end }}
{{- join ", " $words }}
{{- end -}}

{{- /* end rights */}}
{{- /* only api */}}
{{/*
The accounts of the pods that use the API, as a JSON list. It is empty if the chart creates no Role.
*/}}
{{- define "chartgen.accounts" -}}
{{- $accounts := dict }}
{{- if and .Values.rbac.create (include "chartgen.rules" (dict "root" .) | fromYamlArray) }}
{{- range $role, $variants := .Job.roles }}
{{- if (get $.Job.plan.roles $role).api }}
  {{- range $variant := $variants }}
    {{- $_ := set $accounts (include "chartgen.account"
      (dict "root" $ "plan" $.Job.plan "role" $role "spec" $variant.spec "id" $.Job.id)) true }}
  {{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- keys $accounts | sortAlpha | toJson }}
{{- end -}}
{{- /* end api */}}
