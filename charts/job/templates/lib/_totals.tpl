{{/* What pods and the whole job request. */}}

{{/* A quantity as a plain number: "500m" is 0.5, "16Gi" is 17179869184. */}}
{{- define "chartgen.amount" -}}
{{- $text := include "chartgen.text" . }}
{{- $units := dict "" 1.0 "n" 1e-9 "u" 1e-6 "m" 0.001
  "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18
  "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0
  "Ti" 1099511627776.0 "Pi" 1125899906842624.0 "Ei" 1152921504606846976.0 }}
{{- $number := regexFind "^[-+]?[0-9.]+([eE][-+]?[0-9]+)?" $text }}
{{- mulf (float64 $number) (get $units (trimPrefix $number $text)) -}}
{{- end -}}

{{/* What a role's pods request, as JSON: the requests, or else the limits. */}}
{{- define "chartgen.requests" -}}
{{- $resources := .resources | default dict }}
{{- mergeOverwrite (deepCopy ($resources.limits | default dict))
  (deepCopy ($resources.requests | default dict)) | toJson }}
{{- end -}}

{{/* The devices in a container's limits, with their numbers, as JSON. */}}
{{- define "chartgen.devices" -}}
{{- $found := dict }}
{{- range $name, $quantity := (.resources | default dict).limits }}
  {{- if contains "/" $name }}
    {{- with include "chartgen.amount" $quantity | float64 | int }}
      {{- $_ := set $found $name . }}
    {{- end }}
  {{- end }}
{{- end }}
{{- toJson $found }}
{{- end -}}
{{- /* only amounts */}}

{{/*
How much of a resource a replica requests, as a number. Takes (dict "spec" SPEC "resource" NAME);
with "least", a whole number, at least that.
*/}}
{{- define "chartgen.requested" -}}
{{- $amount := include "chartgen.amount" (get (include "chartgen.requests" .spec | fromJson)
  .resource | default 0) | float64 }}
{{- if .least }}{{ max (ceil $amount | int64) .least }}
{{- else if eq (int64 $amount | float64) $amount }}
  {{- int64 $amount }}
{{- else }}
  {{- $amount }}
{{- end }}
{{- end -}}
{{- /* end amounts */}}

{{/*
What the job requests in total, as text. For example "6 pods, 12 CPUs, 48 GiB memory, 3
nvidia.com/gpu". Takes (dict "root" $ "job" JOB).
*/}}
{{- define "chartgen.total" -}}
{{- $job := .job }}
{{- $sum := dict }}
{{- range $name, $role := .root.Values.roles }}
  {{- $counts := dict "" (int $role.replicas) }}
  {{- range include "chartgen.overrideKeys" (dict "root" $.root "role" $name) | fromJson }}
    {{- $_ := set $counts . (add1 (get $counts . | default 0)) }}
    {{- $_ := set $counts "" (sub (get $counts "") 1) }}
  {{- end }}
  {{- range $key, $count := $counts }}
    {{- $variant := get (get $job.roles $name) $key }}
    {{- include "chartgen.addPod" (dict "sum" $sum "pod" $variant.pod.spec "count" $count) }}
  {{- end }}
{{- end }}
{{- $others := list }}
{{- with .root.Values.tensorboard }}
  {{- $own := (include "chartgen.tensorboardDefaults" . | fromYaml).requests }}
  {{- $others = append $others (mergeOverwrite (pick $own "cpu" "memory")
    (include "chartgen.requests" . | fromJson)) }}
{{- end }}
{{- if include "chartgen.cleansUp" .root }}
  {{- $own := (include "chartgen.cleanupResources" . | fromYaml).requests }}
  {{- $others = append $others (pick $own "cpu" "memory") }}
{{- end }}
{{- range $others }}
  {{- $pod := dict "containers" (list (dict "resources" (dict "requests" .))) }}
  {{- include "chartgen.addPod" (dict "sum" $sum "pod" $pod "count" 1) }}
{{- end }}
{{- $pods := int (get $sum "pods") }}
{{- $words := list (printf "%v pod%s" $pods (eq $pods 1 | ternary "" "s")) }}
{{- with get $sum "cpu" }}
  {{- $cpus := round . 3 }}
  {{- $words = append $words (printf "%v CPU%s" $cpus (eq $cpus 1.0 | ternary "" "s")) }}
{{- end }}
{{- with get $sum "memory" }}
  {{- $words = append $words (printf "%v GiB memory" (round (divf . 1073741824) 2)) }}
{{- end }}
{{- range $name, $amount := omit $sum "pods" "cpu" "memory" }}
  {{- $unit := "" }}
  {{- if or (eq $name "ephemeral-storage") (hasPrefix "hugepages-" $name) }}
    {{- $unit = "GiB " }}{{- $amount = divf $amount 1073741824 }}
  {{- end }}
  {{- $words = append $words (printf "%v %s%s" (round $amount 2) $unit $name) }}
{{- end }}
{{- join ", " $words }}
{{- end -}}

{{/*
Adds the resources of some equal pods to a sum. Takes (dict "sum" DICT "pod" PODSPEC "count" INT).
*/}}
{{- define "chartgen.addPod" -}}
{{- $sum := .sum }}{{- $count := .count }}
{{- $_ := set $sum "pods" (addf (get $sum "pods" | default 0) $count) }}
{{- if $count }}
{{- range $name, $number := include "chartgen.podRequests" .pod | fromJson }}
  {{- $_ := set $sum $name (addf (get $sum $name | default 0) (mulf $number $count)) }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
What a pod requests, as JSON. That is its containers together, or an init container and the sidecars
before it, if that is more.
*/}}
{{- define "chartgen.podRequests" -}}
{{- $lasting := dict }}{{- $most := dict }}
{{- range concat (.initContainers | default list) .containers }}
  {{- $ends := and (has . ($.initContainers | default list))
    (ne (.restartPolicy | default "") "Always") }}
  {{- range $name, $quantity := include "chartgen.requests" . | fromJson }}
    {{- $now := addf (get $lasting $name | default 0)
      (include "chartgen.amount" $quantity | float64) }}
    {{- if not $ends }}{{ $_ := set $lasting $name $now }}{{ end }}
    {{- $_ := set $most $name (maxf $now (get $most $name | default 0)) }}
  {{- end }}
{{- end }}
{{- toJson $most }}
{{- end -}}
