{{/*
What the job requests in all, as text. For example "6 pods, 12 CPUs, 48 GiB memory, 3
nvidia.com/gpu". Takes (dict "root" $ "job" JOB).
*/}}
{{- define "chartgen.total" -}}
{{- $job := .job }}
{{- $sum := dict }}
{{- range $name, $role := .root.Values.roles }}
  {{- $counts := dict "" (int $role.replicas) }}
  {{- range $index, $key := include "chartgen.overrideKeys" (dict "root" $.root "role" $name)
    | fromJson }}
    {{- $_ := set $counts $key (add1 (get $counts $key | default 0)) }}
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
