{{/* The whole job as data, and the runtime id that names it. */}}

{{/* The fields of a role that may also stand job-wide, as defaults for all roles. */}}
{{- define "chartgen.shared" -}}
{{- pick .Values "image" "imagePullPolicy" "imagePullSecrets" "command" "args" "workingDir" "env" "envFrom" "ports" "resources" "volumes" "volumeMounts"
  "nodeSelector" "tolerations" "affinity" "priorityClassName" "restartPolicy" "backoffLimit" "activeDeadlineSeconds" "labels" "annotations"
  "securityContext" "podSecurityContext" "serviceAccountName" "initContainers" "sidecars" "container" "pod" "gpu" "accelerator" "fabric" | toJson -}}
{{- end -}}

{{/*
The job as JSON: {"mark": MARK, "id": ID, "plan": PLAN, "roles": {ROLE: {KEY: {"spec": SPEC, "pod": POD}}}}, where PLAN is
files/framework.yaml (reading it takes longer than anything else here, so it is passed along), KEY is "" or one of the
role's overrides, and a POD has MARKr for the id and MARKi for the index. The mark is made of the values' own hash, so no
text in them can contain it; the id is a hash of the finished pods that exist, so whatever changes a pod renames its Job,
which could not be changed in place, and nothing else does. (Of a role that may be rescaled in flight all count, for one
that comes or goes must rename none.)
*/}}
{{- define "chartgen.job" -}}
{{- $mark := printf "@%s" (toJson .Values | sha256sum) }}
{{- $shared := include "chartgen.shared" . | fromJson }}
{{- $cloud := include "chartgen.cloud" . | fromJson }}
{{- $plan := .Files.Get "files/framework.yaml" | fromYaml }}
{{- $roles := dict }}{{- $pods := dict }}
{{- range $name, $role := .Values.roles }}
  {{- $variants := dict }}
  {{- $keys := include "chartgen.overrideKeys" (dict "root" $ "role" $name) | fromJson }}
  {{- $there := values $keys }}{{- if lt (len $keys) (int $role.replicas) }}{{ $there = append $there "" }}{{ end }}
  {{- range $key := prepend (keys ($role.overrides | default dict) | sortAlpha) "" }}
    {{- $override := dict }}{{- if $key }}{{ $override = get $role.overrides $key }}{{ end }}
    {{- $spec := mergeOverwrite (deepCopy $shared) (deepCopy (omit $role "overrides")) (deepCopy $override) }}
    {{- if (get $plan.roles $name).noJobs }}
    {{- $pod := dict "spec" (dict "containers" (list (dict "resources" ($spec.resources | default dict)))) }}
    {{- $_ := set $variants $key (dict "spec" $spec "pod" $pod) }}
    {{- else }}
    {{- $asking := dict "root" $ "cloud" $cloud "who" (printf "roles.%s" $name) "spec" $spec "id" (printf "%sr" $mark) }}
    {{- $asked := include "chartgen.asked" $asking | fromJson }}
    {{- $pod := include "chartgen.pod" (dict "root" $ "plan" $plan "role" $name "spec" $spec "id" (printf "%sr" $mark) "index" (printf "%si" $mark)) | fromYaml }}
    {{- with $pod.Error }}{{ fail (printf "roles.%s: %s" $name .) }}{{ end }}
    {{- $last := list }}{{- range (get $plan.roles $name).env }}{{ if not (hasKey ($spec.env | default dict) .name) }}{{ $last = append $last .name }}{{ end }}{{ end }}
    {{- include "chartgen.fill" (merge (dict "pod" $pod "asked" $asked "last" $last) $asking) }}
    {{- include "chartgen.annotationsFit" (dict "who" (printf "roles.%s" $name) "pod" $pod) }}
    {{- if eq (toString $.Values.podSecurity) "restricted" }}{{ include "chartgen.restrict" $pod }}{{ end }}
    {{- $_ := set $variants $key (dict "spec" $spec "pod" $pod) }}
    {{- if or (has $key $there) (get $plan.roles $name).rescalable }}{{ $_ := set $pods (printf "%s/%s" $name $key) $pod }}{{ end }}
    {{- end }}
  {{- end }}
  {{- $_ := set $roles $name $variants }}
{{- end }}
{{- $id := include "chartgen.text" (.Values.runtimeId | default "") }}
{{- if not $id }}
  {{- $config := include "chartgen.config" (dict "root" . "id" "" "brief" true) }}
  {{- $hash := list .Release.Name $config (toJson $pods | replace $mark "@") | toJson | sha256sum }}
  {{- $id = trunc 8 $hash }}
  {{- /* Digits with an e among them are a number to some YAML readers, however they are printed. */}}
  {{- if regexMatch "^[0-9]+e?[0-9]+$" $id }}{{ $id = regexFind "[a-df][0-9a-f]{7}" $hash }}{{ end }}
{{- end }}
{{- dict "mark" $mark "id" $id "roles" $roles "plan" $plan | toJson }}
{{- end -}}

{{/* Refuses annotations that the API server would not take: (dict "who" WHO "pod" POD). */}}
{{- define "chartgen.annotationsFit" -}}
{{- $size := 0 }}
{{- range $key, $text := .pod.metadata.annotations }}{{ $size = add $size (len $key) (len $text) | int }}{{ end }}
{{- if gt $size 262144 }}{{ fail (printf "%s: the annotations of a pod have %d bytes in sum; Kubernetes allows 262144" .who $size) }}{{ end }}
{{- end -}}

{{/* Fills a pod up to the restricted Pod Security Standard, in place; what the job says wins. */}}
{{- define "chartgen.restrict" -}}
{{- $pod := include "chartgen.restrictedPod" . | fromYaml }}
{{- $_ := set .spec "securityContext" (mergeOverwrite $pod (.spec.securityContext | default dict)) }}
{{- range concat .spec.containers (.spec.initContainers | default list) }}
  {{- $container := include "chartgen.restrictedContainer" $ | fromYaml }}
  {{- $_ := set . "securityContext" (mergeOverwrite $container (.securityContext | default dict)) }}
{{- end }}
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
