{{/*
Puts the whole job into the root as .Job, once for all templates. It is {"mark": MARK, "id": ID,
"plan": PLAN, "configs": CONFIGS, "roles": {ROLE: {KEY: {"spec": SPEC, "pod": POD}}}}, where KEY is
"" or one of the role's overrides, and a POD has MARKr for the runtime id and MARKi for the index.
The mark is a hash of the values, so no text in them can contain it. The runtime id is a hash of the
finished pods that exist: whatever changes a pod renames its Job, which cannot be changed in place,
and nothing else does. (Of a role that can be rescaled all variants count, because one that comes or
goes must rename none.)
*/}}
{{- define "chartgen.job" -}}
{{- if not (hasKey . "Job") }}
{{- $mark := printf "@%s" (toJson .Values | sha256sum) }}
{{- $shared := include "chartgen.shared" . | fromJson }}
{{- /* only clouds */}}
{{- $cloud := include "chartgen.cloud" . | fromJson }}
{{- /* end clouds */}}
{{- /* without clouds */}}
{{- include "chartgen.checkCloud" . }}
{{- /* end clouds */}}
{{- $plan := include "chartgen.plan" . | fromYaml }}
{{- $roles := dict }}{{- $pods := dict }}{{- $fixed := dict }}
{{- range $name, $role := .Values.roles }}
  {{- $who := printf "roles.%s" $name }}
  {{- $variants := dict }}
  {{- $keys := include "chartgen.overrideKeys" (dict "root" $ "role" $name) | fromJson }}
  {{- $there := values $keys }}
  {{- if lt (len $keys) (int $role.replicas) }}{{ $there = append $there "" }}{{ end }}
  {{- range $key := prepend (keys ($role.overrides | default dict) | sortAlpha) "" }}
    {{- $override := dict }}{{- if $key }}{{ $override = get $role.overrides $key }}{{ end }}
    {{- $spec := mergeOverwrite (deepCopy $shared) (deepCopy (omit $role "overrides"))
      (deepCopy $override) }}
{{- /* only managed */}}
    {{- if (get $plan.roles $name).noJobs }}
    {{- $pod := dict "spec" (dict "containers"
      (list (dict "resources" ($spec.resources | default dict)))) }}
    {{- $_ := set $variants $key (dict "spec" $spec "pod" $pod) }}
    {{- else }}
{{- /* end managed */}}
{{- /* only clouds */}}
    {{- $asking := dict "root" $ "cloud" $cloud "who" $who "spec" $spec "id" (printf "%sr" $mark) }}
    {{- $asked := include "chartgen.request" $asking | fromJson }}
{{- /* end clouds */}}
{{- /* without clouds */}}
    {{- include "chartgen.checkRequest" (dict "who" $who "spec" $spec) }}
{{- /* end clouds */}}
    {{- $own := dict "root" $ "plan" $plan "role" $name "who" $who "spec" $spec }}
    {{- $marks := dict "id" (printf "%sr" $mark) "index" (printf "%si" $mark) }}
{{- /* only ranks */}}
    {{- $_ := merge (dict "mark" $mark) $own | include "chartgen.rankMark" | set $marks "rank" }}
    {{- $_ := set $marks "first" (printf "%sf" $mark) }}
{{- /* end ranks */}}
{{- /* only notation */}}
    {{- if $plan.notation }}
      {{- include "chartgen.fillSpec" (merge (dict "mark" $mark) $marks $own) }}
    {{- end }}
{{- /* end notation */}}
    {{- $own = merge $marks $own }}
    {{- $framework := include "chartgen.framework" $own | fromJson }}
    {{- $last := list }}
    {{- range $framework.env }}
      {{- if not (hasKey ($spec.env | default dict) .name) }}
        {{- $last = append $last .name }}
      {{- end }}
    {{- end }}
    {{- $text := include "chartgen.pod" (merge (dict "framework" $framework "last" $last) $own) }}
    {{- $pod := replace "\ufeff" "\\ufeff" $text | fromYaml }}{{/* it would end a line of YAML */}}
    {{- with $pod.Error }}{{ fail (printf "%s: %s" $who .) }}{{ end }}
{{- /* only clouds */}}
    {{- include "chartgen.inject" (merge (dict "pod" $pod "asked" $asked "last" $last) $asking) }}
{{- /* end clouds */}}
{{- /* without clouds */}}
    {{- include "chartgen.checkLimits" (dict "who" $who "pod" $pod) }}
{{- /* end clouds */}}
    {{- $where := hasKey $role "image" | ternary (print $who ".image") "image" }}
    {{- if hasKey $override "image" }}
      {{- $where = printf "%s.overrides.%s.image" $who $key }}
    {{- end }}
    {{- include "chartgen.useImages" (dict "root" $ "pod" $pod "where" $where) }}
    {{- include "chartgen.checkAnnotations" (dict "who" $who "pod" $pod) }}
    {{- if eq (toString $.Values.podSecurity) "restricted" }}
      {{- include "chartgen.restrict" $pod }}
    {{- end }}
    {{- $_ := set $variants $key (dict "spec" $spec "pod" $pod) }}
{{- /* only rescalable */}}
    {{- if or (has $key $there) (get $plan.roles $name).rescalable }}
{{- /* end rescalable */}}
{{- /* without rescalable */}}
    {{- if has $key $there }}
{{- /* end rescalable */}}
      {{- $_ := set $pods (printf "%s/%s" $name $key) $pod }}
      {{- $policy := include "chartgen.failurePolicy" (dict "spec" $spec "who" $name "plan" $plan)
        | fromJson }}
      {{- with merge (pick ($spec.job | default dict) "managedBy" "podFailurePolicy") $policy }}
        {{- $_ := set $fixed (printf "%s/%s" $name $key) . }}
      {{- end }}
    {{- end }}
{{- /* only managed */}}
    {{- end }}
{{- /* end managed */}}
  {{- end }}
  {{- $_ := set $roles $name $variants }}
{{- end }}
{{- $id := include "chartgen.text" .Values.runtimeId }}
{{- if not (hasKey .Values "runtimeId") }}
  {{- $config := "" }}
  {{- range include "chartgen.readConfigs" (dict "root" . "plan" $plan "id" "" "brief" true)
    | fromJsonArray }}
    {{- $config = printf "%s%s" $config (toJson .data) }}
  {{- end }}
  {{- $hashed := list .Release.Name $config (toJson $pods | replace $mark "@") }}
  {{- with $fixed }}{{ $hashed = append $hashed . }}{{ end }}
  {{- /* what Kubernetes does not let a Job change, if it is set */}}
  {{- $hash := toJson $hashed | sha256sum }}
  {{- $id = trunc 8 $hash }}
  {{- /* Some YAML readers take digits with an e among them for a number, even in quotes. */}}
  {{- if regexMatch "^[0-9]+e?[0-9]+$" $id }}
    {{- $id = regexFind "[a-df][0-9a-f]{7}" $hash }}
  {{- end }}
{{- end }}
{{- $configs := include "chartgen.readConfigs" (dict "root" . "plan" $plan "id" $id)
  | fromJsonArray }}
{{- $_ := set . "Job" (dict "mark" $mark "id" $id "roles" $roles "plan" $plan "configs" $configs) }}
{{- end }}
{{- end -}}

{{/* What the job sets for all roles. It is copied for overrides, so without what may be large. */}}
{{- define "chartgen.shared" -}}
{{- omit .Values "roles" "extraObjects" "clouds" | toJson -}}
{{- end -}}
