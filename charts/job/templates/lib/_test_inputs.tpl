{{/* What the test gets about the job. */}}

{{/*
The release's ConfigMaps as a volume for the test, each key at NAME/KEY. The result is {"sources":
LIST, "keys": ["peers-76no/hosts", ...], "hosts": KEY}: the last is the list of peers. The test
reports what is missing.
*/}}
{{- define "chartgen.testConfig" -}}
{{- $sources := list }}{{- $keys := list }}{{- $hosts := "" }}
{{- $planned := .root.Job.plan.hosts | default dict }}
{{- range .root.Job.configs }}
  {{- $name := include "chartgen.name" (merge (dict "name" .name) $) }}
  {{- $items := list }}
  {{- range $key, $_ := .data }}
    {{- $path := printf "%s/%s" $name $key }}
    {{- $items = append $items (dict "key" $key "path" $path) }}
    {{- $keys = append $keys $path }}
  {{- end }}
  {{- if eq .name ($planned.config | default "") }}{{ $hosts = printf "%s/hosts" $name }}{{ end }}
  {{- $sources = append $sources (dict "configMap"
    (dict "name" $name "optional" true "items" $items)) }}
{{- end }}
{{- dict "sources" $sources "keys" $keys "hosts" $hosts | toJson }}
{{- end -}}

{{- /* only clouds */}}
{{/*
The devices that the replicas of each role request, as JSON. Takes (dict "root" $ "job" JOB).
*/}}
{{- define "chartgen.testDevices" -}}
{{- $found := dict }}
{{- range $name, $variants := .job.roles }}
  {{- $devices := dict }}
  {{- range $variants }}
    {{- range concat .pod.spec.containers (.pod.spec.initContainers | default list) }}
      {{- $devices = merge $devices (include "chartgen.devices" . | fromJson) }}
    {{- end }}
  {{- end }}
  {{- $there := and (int (get $.root.Values.roles $name).replicas)
    (not (get $.job.plan.roles $name).noJobs) }}
  {{- with and $there (keys $devices) }}
    {{- $_ := set $found $name (sortAlpha . | join " ") }}
  {{- end }}
{{- end }}
{{- toJson $found }}
{{- end -}}

{{- /* end clouds */}}
{{/*
The roles that have replicas, as files/test.sh reads them. For example "role worker-76no- 3 2222
job,service,listed", and for overrides that set a port "port worker-76no- 1 1 4444".
*/}}
{{- define "chartgen.testRoles" -}}
{{- $plan := .root.Job.plan }}
{{- /* only many */}}
{{- $decides := $plan.decides }}
{{- /* end many */}}
{{- $rows := list }}
{{- range $name, $role := .root.Values.roles }}
{{- $planned := get $plan.roles $name }}
{{- /* only jobless */}}
{{- if and (int $role.replicas) (not (or $planned.noJobs $planned.bare)) }}
{{- /* end jobless */}}
{{- /* without jobless */}}
{{- if int $role.replicas }}
{{- /* end jobless */}}
  {{- $prefix := include "chartgen.replicaName" (merge (dict "role" $name "index" "") $) }}
  {{- $is := list "job" }}
  {{- if $planned.service }}{{ $is = append $is "service" }}{{ end }}
  {{- if has $name ($plan.hosts | default dict).roles }}{{ $is = append $is "listed" }}{{ end }}
{{- /* only meets */}}
  {{- if $planned.meets }}{{ $is = append $is "meets" }}{{ end }}
{{- /* end meets */}}
{{- /* only command */}}
  {{- $starts := and $planned.starts (include "chartgen.starts"
    (dict "root" $.root "role" $name)) }}
  {{- if and $planned.service (or $starts (and $planned.command (not $role.command))) }}
{{- /* end command */}}
{{- /* without command */}}
  {{- if and $planned.service $planned.starts (include "chartgen.starts"
    (dict "root" $.root "role" $name)) }}
{{- /* end command */}}
    {{- $is = append $is "serves" }}
  {{- end }}
{{- /* only notation */}}
  {{- if and $plan.notation $planned.service $planned.serves }}
    {{- $is = append $is "serves" }}
  {{- end }}
{{- /* end notation */}}
{{- /* only clouds */}}
  {{- if hasKey $.devices $name }}{{ $is = append $is "device" }}{{ end }}
{{- /* end clouds */}}
{{- /* only all */}}
  {{- if and $decides.all (eq $name $decides.role) }}{{ $is = append $is "decides" }}{{ end }}
{{- /* end all */}}
{{- /* only any */}}
  {{- if and $decides.any (eq $name $decides.role) }}{{ $is = append $is "any" }}{{ end }}
{{- /* end any */}}
  {{- $rows = append $rows (printf "role %s %d %d %s" $prefix (int $role.replicas) (int $role.port)
    (join "," $is)) }}
  {{- range $key, $override := $role.overrides }}
    {{- $ends := splitList "-" $key }}
    {{- with $override.port }}
      {{- $rows = append $rows (printf "port %s %s %s %d" $prefix (first $ends) (last $ends)
        (int .)) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}
{{- join "\n" $rows }}
{{- end -}}
