{{/* What the job asks of the cluster, in sum. */}}

{{/* A Kubernetes quantity as a plain number: "500m" is 0.5, "16Gi" is 17179869184. */}}
{{- define "chartgen.amount" -}}
{{- $text := include "chartgen.text" . }}
{{- $units := dict "" 1.0 "n" 1e-9 "u" 1e-6 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18
  "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 "Pi" 1125899906842624.0 "Ei" 1152921504606846976.0 }}
{{- $number := regexFind "^[-+]?[0-9.]+([eE][-+]?[0-9]+)?" $text }}
{{- mulf (float64 $number) (get $units (trimPrefix $number $text)) -}}
{{- end -}}

{{/* Adds a pod's resources, so many times over, to a sum: (dict "sum" DICT "pod" PODSPEC "count" INT). */}}
{{- define "chartgen.addPod" -}}
{{- $sum := .sum }}{{- $count := .count }}
{{- $_ := set $sum "pods" (addf (get $sum "pods" | default 0) $count) }}
{{- if $count }}
{{- range $name, $number := include "chartgen.podAsks" .pod | fromJson }}
  {{- $_ := set $sum $name (addf (get $sum $name | default 0) (mulf $number $count)) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* What a pod asks for, as JSON: all that runs at once, or an init container with what lasts beside it, if that is more. */}}
{{- define "chartgen.podAsks" -}}
{{- $lasting := dict }}{{- $most := dict }}
{{- range concat (.initContainers | default list) .containers }}
  {{- $ends := and (has . ($.initContainers | default list)) (ne (.restartPolicy | default "") "Always") }}
  {{- range $name, $quantity := include "chartgen.requests" . | fromJson }}
    {{- $now := addf (get $lasting $name | default 0) (include "chartgen.amount" $quantity | float64) }}
    {{- if not $ends }}{{ $_ := set $lasting $name $now }}{{ end }}
    {{- $_ := set $most $name (maxf $now (get $most $name | default 0)) }}
  {{- end }}
{{- end }}
{{- toJson $most }}
{{- end -}}

{{/* The sum in words, "6 pods, 12 CPUs, 48 GiB memory, 3 nvidia.com/gpu": (dict "root" $ "job" JOB). */}}
{{- define "chartgen.sum" -}}
{{- $job := .job }}
{{- $sum := dict }}
{{- range $name, $role := .root.Values.roles }}
  {{- $counts := dict "" (int $role.replicas) }}
  {{- range $index, $key := include "chartgen.overrideKeys" (dict "root" $.root "role" $name) | fromJson }}
    {{- $_ := set $counts $key (add1 (get $counts $key | default 0)) }}
    {{- $_ := set $counts "" (sub (get $counts "") 1) }}
  {{- end }}
  {{- range $key, $count := $counts }}
    {{- $variant := get (get $job.roles $name) $key }}
    {{- include "chartgen.addPod" (dict "sum" $sum "pod" $variant.pod.spec "count" $count) }}
  {{- end }}
{{- end }}
{{- with .root.Values.tensorboard }}
  {{- include "chartgen.addPod" (dict "sum" $sum "pod" (dict "containers" (list .)) "count" 1) }}
{{- end }}
{{- if and .root.Values.cleanup.enabled (include "chartgen.decides" .root | fromJson).role }}
  {{- $own := dict "resources" (include "chartgen.cleanupResources" . | fromYaml) }}
  {{- include "chartgen.addPod" (dict "sum" $sum "pod" (dict "containers" (list $own)) "count" 1) }}
{{- end }}
{{- $pods := int (get $sum "pods") }}
{{- $words := list (printf "%v pod%s" $pods (eq $pods 1 | ternary "" "s")) }}
{{- with get $sum "cpu" }}{{ $cpus := round . 3 }}{{ $words = append $words (printf "%v CPU%s" $cpus (eq $cpus 1.0 | ternary "" "s")) }}{{ end }}
{{- with get $sum "memory" }}{{ $words = append $words (printf "%v GiB memory" (round (divf . 1073741824) 2)) }}{{ end }}
{{- range $name, $amount := omit $sum "pods" "cpu" "memory" }}
  {{- if or (eq $name "ephemeral-storage") (hasPrefix "hugepages-" $name) }}{{ $words = append $words (printf "%v GiB %s" (round (divf $amount 1073741824) 2) $name) }}
  {{- else }}{{ $words = append $words (printf "%v %s" (round $amount 2) $name) }}{{ end }}
{{- end }}
{{- join ", " $words }}
{{- end -}}
