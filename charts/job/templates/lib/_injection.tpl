{{/*
What the cloud adds to the pods that request devices. What the job says wins, and adding twice is
adding once.
*/}}

{{/*
Completes a pod, in place. The containers that request a device get mounts and variables, and the
pod gets everything else. Takes (dict "root" $ "cloud" CLOUD "who" WHO "id" ID "pod" POD "asked"
ASKED "last" NAMES), where ASKED is what chartgen.request says about the main container, and NAMES
are its variables that stay last.
*/}}
{{- define "chartgen.inject" -}}
{{- $all := list }}{{- $mounted := dict }}{{- $volumes := dict }}
{{- range .pod.spec.volumes }}{{ $_ := set $volumes .name . }}{{ end }}
{{- range $index, $container := concat .pod.spec.containers
  (.pod.spec.initContainers | default list) }}
  {{- $adds := list }}
  {{- if not $index }}{{ $adds = $.asked.adds | default list }}{{ end }}
  {{- range $resource, $_ := include "chartgen.devices" $container | fromJson }}
    {{- if ne $resource ($.asked.resource | default "") }}
      {{- include "chartgen.checkSlice" (merge (dict "resource" $resource) $) }}
    {{- end }}
    {{- with include "chartgen.cloudDevice" (dict "cloud" $.cloud "resource" $resource) }}
      {{- $adds = append $adds (fromJson .) }}
    {{- end }}
  {{- end }}
  {{- $last := empty $index | ternary $.last list }}
  {{- range $adds }}
    {{- include "chartgen.injectContainer" (dict "who" $.who "container" $container "adds" . "last"
      $last "mounted" $mounted) }}
  {{- end }}
  {{- $all = concat $all $adds }}
{{- end }}
{{- range $all }}
  {{- include "chartgen.injectPod" (merge (dict "adds" . "mounted" $mounted) $) }}
{{- end }}
{{- range $all }}
  {{- include "chartgen.injectVolumes" (merge (dict "adds" . "mounted" $mounted "volumes" $volumes)
    $) }}
{{- end }}
{{- end -}}

{{/*
Completes a container, in place. Takes (dict "who" WHO "container" CONTAINER "adds" ADDS "last"
NAMES "mounted" DICT), where DICT gets the volumes it mounts.
*/}}
{{- define "chartgen.injectContainer" -}}
{{- $container := .container }}
{{- $taken := list }}{{- $env := list }}{{- $last := list }}
{{- range $container.env }}
  {{- $taken = append $taken .name }}
  {{- if has .name $.last }}
    {{- $last = append $last . }}
  {{- else }}
    {{- $env = append $env . }}
  {{- end }}
{{- end }}
{{- range include "chartgen.env" (dict "who" .who "env" .adds.env) | fromYamlArray }}
  {{- if not (has .name $taken) }}{{ $env = append $env . }}{{ end }}
{{- end }}
{{- with concat $env $last }}{{ $_ := set $container "env" . }}{{ end }}
{{- $taken = list }}
{{- range $container.volumeMounts }}{{ $taken = append $taken (clean .mountPath) }}{{ end }}
{{- range .adds.volumeMounts }}
  {{- if not (has (clean .mountPath) $taken) }}
    {{- $_ := set $container "volumeMounts" (append ($container.volumeMounts | default list) .) }}
    {{- $_ := set $.mounted .name true }}
  {{- end }}
{{- end }}
{{- with (.adds.resources | default dict).limits }}
  {{- $resources := $container.resources | default dict }}
  {{- $_ := set $resources "limits" (mergeOverwrite (deepCopy .)
    ($resources.limits | default dict)) }}
  {{- $_ := set $container "resources" $resources }}
  {{- $names := keys $resources.limits ($resources.requests | default dict) }}
  {{- if and (contains "hugepages-" (join " " $names))
    (not (or (has "cpu" $names) (has "memory" $names))) }}
    {{- fail (print $.who " gets huge pages, which Kubernetes accepts only together with cpu or "
      "memory; set resources.limits.memory") }}
  {{- end }}
{{- end }}
{{- with .adds.securityContext }}
  {{- $own := $container.securityContext | default dict }}
  {{- $both := mergeOverwrite (deepCopy .) $own }}
  {{- with concat (dig "capabilities" "add" list $own) (dig "capabilities" "add" list .) | uniq }}
    {{- $_ := set $both.capabilities "add" . }}
  {{- end }}
  {{- $_ := set $container "securityContext" $both }}
{{- end }}
{{- end -}}

{{/*
Completes the rest of the pod, in place. Takes (dict "pod" POD "adds" ADDS "mounted" DICT) and what
chartgen.selectorLabels takes.
*/}}
{{- define "chartgen.injectPod" -}}
{{- $spec := .pod.spec }}
{{- range $key := list "labels" "annotations" }}
  {{- with get $.adds $key }}
    {{- $_ := set $.pod.metadata $key (mergeOverwrite (include "chartgen.textMap" . | fromJson)
      (get $.pod.metadata $key | default dict)) }}
  {{- end }}
{{- end }}
{{- with .adds.nodeSelector }}
  {{- $_ := set $spec "nodeSelector" (mergeOverwrite (include "chartgen.textMap" . | fromJson)
    ($spec.nodeSelector | default dict)) }}
{{- end }}
{{- range .adds.tolerations }}
  {{- if not (has . ($spec.tolerations | default list)) }}
    {{- $_ := set $spec "tolerations" (append ($spec.tolerations | default list) .) }}
  {{- end }}
{{- end }}
{{- range $key, $value := .adds.pod }}
  {{- if not (hasKey $spec $key) }}{{ $_ := set $spec $key $value }}{{ end }}
{{- end }}
{{- $taken := list }}
{{- range concat $spec.containers ($spec.initContainers | default list) }}
  {{- $taken = append $taken .name }}
{{- end }}
{{- range .adds.sidecars }}
  {{- if not (has .name $taken) }}
    {{- $_ := set $spec "initContainers" (append ($spec.initContainers | default list)
      (mergeOverwrite (dict "restartPolicy" "Always") .)) }}
    {{- range .volumeMounts }}{{ $_ := set $.mounted .name true }}{{ end }}
  {{- end }}
{{- end }}
{{- with .adds.together }}
  {{- $affinity := $spec.affinity | default dict }}
  {{- if not (hasKey $affinity "podAffinity") }}
    {{- $labels := merge (include "chartgen.selectorLabels" $ | fromYaml) $.adds.labels }}
    {{- $term := dict "topologyKey" . "labelSelector" (dict "matchLabels" $labels) }}
    {{- $_ := set $affinity "podAffinity" (dict "requiredDuringSchedulingIgnoredDuringExecution"
      (list $term)) }}
    {{- $_ := set $spec "affinity" $affinity }}
  {{- end }}
{{- end }}
{{- end -}}

{{/*
Adds the volumes that are mounted now. Of two with one name the first holds, and one of the job's
with that name must be the same. Takes (dict "who" WHO "cloud" CLOUD "pod" POD "adds" ADDS "mounted"
DICT "volumes" DICT), where the last are the job's by name.
*/}}
{{- define "chartgen.injectVolumes" -}}
{{- $spec := .pod.spec }}
{{- range $volume := .adds.volumes }}
  {{- if get $.mounted .name }}
    {{- $_ := set $.mounted .name false }}
    {{- $own := get $.volumes .name }}
    {{- if not $own }}
      {{- $_ := set $spec "volumes" (append ($spec.volumes | default list) $volume) }}
    {{- else if ne (toJson $own) (toJson $volume) }}
      {{- fail (print $.who ": cloud " $.cloud.name " adds another volume named " .name
        "; rename the job's") }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end -}}
