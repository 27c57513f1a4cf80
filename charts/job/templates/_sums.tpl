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
{{- $running := .pod.containers }}
{{- range .pod.initContainers }}{{ if eq (.restartPolicy | default "") "Always" }}{{ $running = append $running . }}{{ end }}{{ end }}
{{- range $running }}
  {{- $resources := .resources | default dict }}
  {{- range $name, $quantity := mergeOverwrite (deepCopy ($resources.limits | default dict)) ($resources.requests | default dict) }}
    {{- $_ := set $sum $name (addf (get $sum $name | default 0) (mulf (include "chartgen.amount" $quantity | float64) $count)) }}
  {{- end }}
{{- end }}
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
{{- $words := list (printf "%v pods" (int (get $sum "pods"))) }}
{{- with get $sum "cpu" }}{{ $words = append $words (printf "%v CPUs" (round . 3)) }}{{ end }}
{{- with get $sum "memory" }}{{ $words = append $words (printf "%v GiB memory" (round (divf . 1073741824) 2)) }}{{ end }}
{{- range $name, $amount := omit $sum "pods" "cpu" "memory" }}
  {{- if or (eq $name "ephemeral-storage") (hasPrefix "hugepages-" $name) }}{{ $words = append $words (printf "%v GiB %s" (round (divf $amount 1073741824) 2) $name) }}
  {{- else }}{{ $words = append $words (printf "%v %s" (round $amount 2) $name) }}{{ end }}
{{- end }}
{{- join ", " $words }}
{{- end -}}
