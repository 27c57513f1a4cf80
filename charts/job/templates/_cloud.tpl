{{/* What the cloud adds to the pods that ask for devices. What the job says wins, and adding twice is adding once. */}}

{{/* A document of files/clouds.yaml as JSON, or nothing: (dict "root" $ "kind" KIND "name" NAME). Only that one is read. */}}
{{- define "chartgen.shipped" -}}
{{- $head := printf "%s: %s\n" .kind .name }}
{{- range splitList "---\n" (.root.Files.Get "files/clouds.yaml") }}{{ if hasPrefix $head . }}{{ fromYaml . | toJson }}{{ end }}{{ end }}
{{- end -}}

{{/* The names of the shipped documents of a kind and of one's own, in words: (dict "root" $ "kind" KIND "own" DICT). */}}
{{- define "chartgen.known" -}}
{{- $names := keys (.own | default dict) }}
{{- range regexFindAll (printf "(?m)^%s: .+$" .kind) (.root.Files.Get "files/clouds.yaml") -1 }}{{ $names = append $names (last (splitList " " .)) }}{{ end }}
{{- $names | uniq | sortAlpha | join ", " }}
{{- end -}}

{{/* The chosen cloud as JSON: the shipped one, and one's own of that name laid over it as Helm lays values over values. */}}
{{- define "chartgen.cloud" -}}
{{- $name := .Values.cloud | default "none" }}
{{- $clouds := .Values.clouds | default dict }}
{{- $cloud := include "chartgen.shipped" (dict "root" . "kind" "cloud" "name" $name) | default "{}" | fromJson }}
{{- if hasKey $clouds $name }}
  {{- $own := get $clouds $name }}
  {{- if kindIs "string" $own }}{{ $own = fromYaml $own }}{{/* --set-file gives text */}}{{ end }}
  {{- with $own.Error }}{{ fail (printf "clouds.%s: %s" $name .) }}{{ end }}
  {{- if not (kindIs "map" $own) }}{{ fail (printf "clouds.%s: expected a mapping" $name) }}{{ end }}
  {{- $cloud = mergeOverwrite $cloud (deepCopy $own) }}
  {{- include "chartgen.soundCloud" (dict "root" . "where" (printf "clouds.%s" $name) "cloud" (omit $cloud "cloud")) }}
{{- else if not $cloud }}
  {{- fail (printf "no cloud is named %s; expected one of %s, or one of your own under clouds" $name (include "chartgen.known" (dict "root" . "kind" "cloud" "own" $clouds))) }}
{{- end }}
{{- set $cloud "name" $name | toJson }}
{{- end -}}

{{/* What the cloud adds for a resource, as JSON; nothing if it does not know it: (dict "cloud" CLOUD "resource" NAME). */}}
{{- define "chartgen.device" -}}
{{- $found := "" }}
{{- range $name, $adds := .cloud.devices }}
  {{- if and (hasSuffix "*" $name) (hasPrefix (trimSuffix "*" $name) $.resource) }}{{ $found = toJson $adds }}{{ end }}
{{- end }}
{{- if hasKey (.cloud.devices | default dict) .resource }}{{ $found = get .cloud.devices .resource | toJson }}{{ end }}
{{- $found }}
{{- end -}}

{{/* The devices in a container's limits with their numbers, as JSON. */}}
{{- define "chartgen.devices" -}}
{{- $found := dict }}
{{- range $name, $quantity := (.resources | default dict).limits }}
  {{- if contains "/" $name }}{{ with include "chartgen.amount" $quantity | float64 | int }}{{ $_ := set $found $name . }}{{ end }}{{ end }}
{{- end }}
{{- toJson $found }}
{{- end -}}

{{/*
Fills a pod, in place: (dict "root" $ "cloud" CLOUD "who" WHO "id" ID "pod" POD "asked" ASKED "last" NAMES), where ASKED is
what chartgen.asked says of the main container, and NAMES are its variables that stay the last. The containers that ask get
mounts and variables, and their pod all else.
*/}}
{{- define "chartgen.fill" -}}
{{- $all := list }}
{{- range $index, $container := concat .pod.spec.containers (.pod.spec.initContainers | default list) }}
  {{- $adds := list }}
  {{- if not $index }}{{ $adds = $.asked.adds | default list }}{{ end }}
  {{- range $resource, $_ := include "chartgen.devices" $container | fromJson }}
    {{- if ne $resource ($.asked.resource | default "") }}{{ include "chartgen.sliced" (merge (dict "resource" $resource) $) }}{{ end }}
    {{- with include "chartgen.device" (dict "cloud" $.cloud "resource" $resource) }}{{ $adds = append $adds (fromJson .) }}{{ end }}
  {{- end }}
  {{- range $adds }}{{ include "chartgen.fillContainer" (dict "who" $.who "container" $container "adds" . "last" (empty $index | ternary $.last list)) }}{{ end }}
  {{- $all = concat $all $adds }}
{{- end }}
{{- range $all }}{{ include "chartgen.fillPod" (merge (dict "adds" .) $) }}{{ end }}
{{- range $all }}{{ include "chartgen.fillVolumes" (merge (dict "adds" .) $) }}{{ end }}
{{- end -}}

{{/* Fills a container, in place: (dict "who" WHO "container" CONTAINER "adds" ADDS "last" NAMES). */}}
{{- define "chartgen.fillContainer" -}}
{{- $container := .container }}
{{- $taken := list }}{{- $env := list }}{{- $last := list }}
{{- range $container.env }}
  {{- $taken = append $taken .name }}
  {{- if has .name $.last }}{{ $last = append $last . }}{{ else }}{{ $env = append $env . }}{{ end }}
{{- end }}
{{- range include "chartgen.env" .adds.env | fromYamlArray }}{{ if not (has .name $taken) }}{{ $env = append $env . }}{{ end }}{{ end }}
{{- with concat $env $last }}{{ $_ := set $container "env" . }}{{ end }}
{{- $taken = list }}{{- range $container.volumeMounts }}{{ $taken = append $taken (clean .mountPath) }}{{ end }}
{{- range .adds.volumeMounts }}
  {{- if not (has (clean .mountPath) $taken) }}{{ $_ := set $container "volumeMounts" (append ($container.volumeMounts | default list) .) }}{{ end }}
{{- end }}
{{- with (.adds.resources | default dict).limits }}
  {{- $resources := $container.resources | default dict }}
  {{- $_ := set $resources "limits" (mergeOverwrite (deepCopy .) ($resources.limits | default dict)) }}
  {{- $_ := set $container "resources" $resources }}
  {{- $names := keys $resources.limits ($resources.requests | default dict) }}
  {{- if and (contains "hugepages-" (join " " $names)) (not (or (has "cpu" $names) (has "memory" $names))) }}
    {{- fail (printf "%s gets huge pages, which Kubernetes gives only beside cpu or memory; set resources.limits.memory" $.who) }}
  {{- end }}
{{- end }}
{{- with .adds.securityContext }}
  {{- $own := $container.securityContext | default dict }}
  {{- $both := mergeOverwrite (deepCopy .) $own }}
  {{- with concat (dig "capabilities" "add" list $own) (dig "capabilities" "add" list .) | uniq }}{{ $_ := set $both.capabilities "add" . }}{{ end }}
  {{- $_ := set $container "securityContext" $both }}
{{- end }}
{{- end -}}

{{/* Fills what is the pod's own, in place: (dict "pod" POD "adds" ADDS) and what chartgen.selectorLabels takes. */}}
{{- define "chartgen.fillPod" -}}
{{- $spec := .pod.spec }}
{{- range $key := list "labels" "annotations" }}
  {{- with get $.adds $key }}{{ $_ := set $.pod.metadata $key (mergeOverwrite (include "chartgen.textMap" . | fromJson) (get $.pod.metadata $key | default dict)) }}{{ end }}
{{- end }}
{{- with .adds.nodeSelector }}{{ $_ := set $spec "nodeSelector" (mergeOverwrite (include "chartgen.textMap" . | fromJson) ($spec.nodeSelector | default dict)) }}{{ end }}
{{- range .adds.tolerations }}
  {{- if not (has . ($spec.tolerations | default list)) }}{{ $_ := set $spec "tolerations" (append ($spec.tolerations | default list) .) }}{{ end }}
{{- end }}
{{- range $key, $value := .adds.pod }}{{ if not (hasKey $spec $key) }}{{ $_ := set $spec $key $value }}{{ end }}{{ end }}
{{- $taken := list }}{{- range concat $spec.containers ($spec.initContainers | default list) }}{{ $taken = append $taken .name }}{{ end }}
{{- range .adds.sidecars }}
  {{- if not (has .name $taken) }}{{ $_ := set $spec "initContainers" (append ($spec.initContainers | default list) (mergeOverwrite (dict "restartPolicy" "Always") .)) }}{{ end }}
{{- end }}
{{- with .adds.together }}
  {{- $affinity := $spec.affinity | default dict }}
  {{- if not (hasKey $affinity "podAffinity") }}
    {{- $labels := merge (include "chartgen.selectorLabels" $ | fromYaml) $.adds.labels }}
    {{- $term := dict "topologyKey" . "labelSelector" (dict "matchLabels" $labels) }}
    {{- $_ := set $affinity "podAffinity" (dict "requiredDuringSchedulingIgnoredDuringExecution" (list $term)) }}
    {{- $_ := set $spec "affinity" $affinity }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Adds the volumes that something in the pod mounts now; one of the job's with that name must be the same. */}}
{{- define "chartgen.fillVolumes" -}}
{{- $spec := .pod.spec }}
{{- $mounted := list }}
{{- range concat $spec.containers ($spec.initContainers | default list) }}{{ range .volumeMounts }}{{ $mounted = append $mounted .name }}{{ end }}{{ end }}
{{- $taken := dict }}{{- range $spec.volumes }}{{ $_ := set $taken .name . }}{{ end }}
{{- range $volume := .adds.volumes }}
  {{- $same := get $taken .name }}
  {{- if and $same (ne (toJson $same) (toJson $volume)) (has .name $mounted) }}
    {{- fail (printf "%s: a volume of the job is named %s, and another one of cloud %s too; rename the job's" $.who .name $.cloud.name) }}
  {{- else if and (not $same) (has .name $mounted) }}
    {{- $_ := set $spec "volumes" (append ($spec.volumes | default list) $volume) }}
  {{- end }}
{{- end }}
{{- end -}}
