{{/* Late values: the facts that are known only at install, filled into what files/framework.yaml states. */}}

{{/*
A text made of fixed and late parts: (dict "parts" LIST "root" $ "plan" PLAN "role" ROLE "spec" SPEC "id" ID "index" INDEX "brief" BOOL).
A choice may be an empty text, which merge would take for unset.
*/}}
{{- define "chartgen.late" -}}
{{- range .parts }}
{{- if kindIs "string" . }}{{ . }}
{{- else if eq .late "index" }}{{ $.index }}
{{- else if eq .late "id" }}{{ $.id }}
{{- else if eq .late "job" }}{{ $.root.Chart.Name }}
{{- else if eq .late "release" }}{{ $.root.Release.Name }}
{{- else if eq .late "namespace" }}{{ $.root.Release.Namespace }}
{{- else if eq .late "account" }}{{ include "chartgen.account" $ }}
{{- else if eq .late "image" }}{{ include "chartgen.image" (dict "root" $.root "spec" (empty .role | ternary $.spec (get $.root.Values.roles .role))) }}
{{- else if eq .late "asked" }}{{ include "chartgen.askedAmount" (dict "spec" $.spec "resource" .resource "least" .least) }}
{{- else if eq .late "option" }}{{ include "chartgen.option" (merge (dict "root" $.root) .) }}
{{- else if eq .late "size" }}{{ include "chartgen.size" (dict "size" (include "chartgen.option" (merge (dict "root" $.root) .)) "spec" $.spec "resource" .resource "percent" .percent) }}
{{- else if eq .late "count" }}{{ include "chartgen.hashedCount" (merge (dict "role" .role "atMost" .atMost) $) }}
{{- else if eq .late "port" }}{{ include "chartgen.port" (dict "root" $.root "role" .role "number" .number) }}
{{- else if eq .late "host" }}{{ include "chartgen.replicaName" (dict "root" $.root "id" $.id "role" .role "index" (hasKey . "number" | ternary .number $.index)) }}
{{- else if eq .late "ownPort" }}{{ int $.spec.port }}
{{- else if eq .late "peers" }}{{ include "chartgen.peers" (dict "root" $.root "plan" $.plan "id" $.id "brief" $.brief "roles" .roles "form" .form) }}
{{- else if eq .late "pick" }}{{ include "chartgen.late" (mergeOverwrite (dict) $ (dict "parts" (get .cases (get (get $.root.Values .of) .option)))) }}
{{- else }}{{ fail (printf "files/framework.yaml: %s is no late value" .late) }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
Kubernetes' own fields as JSON, the late texts in them filled in: (dict "tree" DATA ...) and what chartgen.late takes. A text that comes to
nothing is left out, as is what has a condition that does not hold.
*/}}
{{- define "chartgen.lateTree" -}}
{{- $around := omit . "tree" }}
{{- $late := "" }}{{- if kindIs "map" .tree }}{{ $late = toString .tree.late }}{{ end }}
{{- if eq $late "text" }}
  {{- with include "chartgen.late" (merge (dict "parts" .tree.parts) $around) }}{{ toJson . }}{{ end }}
{{- else if eq $late "ownPort" }}{{ int .spec.port }}
{{- else if eq $late "only" }}
  {{- if include "chartgen.holds" (merge (dict "when" .tree.when) $around) }}{{ include "chartgen.lateTree" (merge (dict "tree" .tree.tree) $around) }}{{ end }}
{{- else if kindIs "map" .tree }}
  {{- $fields := list }}
  {{- range $key, $value := .tree }}
    {{- with include "chartgen.lateTree" (merge (dict "tree" $value) $around) }}{{ $fields = append $fields (printf "%s:%s" (toJson $key) .) }}{{ end }}
  {{- end }}
  {{- printf "{%s}" (join "," $fields) }}
{{- else if kindIs "slice" .tree }}
  {{- $items := list }}
  {{- range .tree }}{{ with include "chartgen.lateTree" (merge (dict "tree" .) $around) }}{{ $items = append $items . }}{{ end }}{{ end }}
  {{- printf "[%s]" (join "," $items) }}
{{- else }}{{ toJson .tree }}
{{- end }}
{{- end -}}

{{/* A list of env entries as JSON, as far as their conditions hold: (dict "entries" LIST ...) and what chartgen.late takes. */}}
{{- define "chartgen.lateEnv" -}}
{{- $env := list }}
{{- range .entries }}
{{- if include "chartgen.holds" (merge (dict "when" (.when | default dict)) $) }}
  {{- if .config }}
    {{- $name := include "chartgen.name" (dict "root" $.root "id" $.id "name" .config) }}
    {{- $key := include "chartgen.late" (merge (dict "parts" .key) $) }}
    {{- $env = append $env (dict "name" .name "valueFrom" (dict "configMapKeyRef" (dict "name" $name "key" $key))) }}
  {{- else if .field }}
    {{- $env = append $env (dict "name" .name "valueFrom" (dict "fieldRef" (dict "fieldPath" .field))) }}
  {{- else }}
    {{- $env = append $env (dict "name" .name "value" (include "chartgen.late" (merge (dict "parts" .value) $))) }}
  {{- end }}
{{- end }}
{{- end }}
{{- toJson $env }}
{{- end -}}

{{/*
Whether a condition holds, if there is one: an option is set, an option is so chosen, or the replica asks for a resource:
(dict "root" $ "spec" SPEC "when" CONDITION).
*/}}
{{- define "chartgen.holds" -}}
{{- if not .when }}true
{{- else if .when.asks }}{{ if hasKey (include "chartgen.requests" .spec | fromJson) .when.asks }}true{{ end }}
{{- else }}
  {{- $said := include "chartgen.option" (merge (dict "root" .root) .when) }}
  {{- if hasKey .when "case" | ternary (eq $said (toString .when.case)) (ne $said "") }}true{{ end }}
{{- end }}
{{- end -}}

{{/* What an option of the framework's says, as text: (dict "root" $ "of" FRAMEWORK "option" NAME), a list with "between" between its items. */}}
{{- define "chartgen.option" -}}
{{- $value := get (get .root.Values .of | default dict) .option }}
{{- if kindIs "slice" $value }}
  {{- $texts := list }}{{- range $value }}{{ $texts = append $texts (include "chartgen.text" .) }}{{ end }}
  {{- join (.between | default ",") $texts }}
{{- else if not (or (kindIs "invalid" $value) (and (kindIs "map" $value) (empty $value))) }}{{ include "chartgen.text" $value }}
{{- end }}
{{- end -}}

{{/*
A quantity of memory in bytes; a share, as 20%, stays as it is, or is one of a resource that the replica asks for:
(dict "size" TEXT), and for that: (dict ... "spec" SPEC "resource" NAME "percent" INT).
*/}}
{{- define "chartgen.size" -}}
{{- $share := hasSuffix "%" .size }}
{{- if or (not .size) (and $share (not .resource)) }}{{ .size }}
{{- else }}
  {{- $bytes := 0 }}
  {{- if $share }}{{ $bytes = mulf (include "chartgen.askedAmount" . | float64) (trimSuffix "%" .size | float64) 0.01 }}
  {{- else }}{{ $bytes = include "chartgen.amount" .size | float64 }}
  {{- end }}
  {{- with mulf $bytes (.percent | default 100) 0.01 | ceil | int64 }}{{ . }}{{ end }}
{{- end }}
{{- end -}}

{{/* What a role's pods ask for, as JSON: the requests, and where there are none the limits. */}}
{{- define "chartgen.requests" -}}
{{- $resources := .resources | default dict }}
{{- mergeOverwrite (deepCopy ($resources.limits | default dict)) (deepCopy ($resources.requests | default dict)) | toJson }}
{{- end -}}

{{/* How much of a resource that is, as a plain number: (dict "spec" SPEC "resource" NAME), in whole ones if so many "least" are wanted. */}}
{{- define "chartgen.askedAmount" -}}
{{- $amount := include "chartgen.amount" (get (include "chartgen.requests" .spec | fromJson) .resource | default 0) | float64 }}
{{- if .least }}{{ max (ceil $amount | int64) .least }}
{{- else if eq (int64 $amount | float64) $amount }}{{ int64 $amount }}{{ else }}{{ $amount }}{{ end }}
{{- end -}}

{{/* The image of a role's pods: (dict "root" $ "spec" SPEC). */}}
{{- define "chartgen.image" -}}
{{- .spec.image | default .root.Values.image -}}
{{- end -}}

{{/*
How many replicas a role has, or as many as an option asks for if those are fewer; of a role that may be rescaled in flight, the runtime id
knows nothing: (dict "root" $ "plan" PLAN "role" ROLE "brief" BOOL), and for the option (dict ... "atMost" OPTION).
*/}}
{{- define "chartgen.hashedCount" -}}
{{- if and .brief (get .plan.roles .role).rescalable }}*
{{- else }}
  {{- $count := include "chartgen.count" . | int }}
  {{- with .atMost }}{{ with include "chartgen.option" (merge (dict "root" $.root) .) }}{{ $count = min $count (int .) }}{{ end }}{{ end }}
  {{- $count }}
{{- end }}
{{- end -}}
