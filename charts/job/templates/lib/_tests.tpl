{{/* The pod of helm test. */}}

{{- define "chartgen.testPod" -}}
{{- $config := include "chartgen.testConfig" . | fromJson }}
{{- $name := include "chartgen.name" . }}
{{- $values := .root.Values -}}
restartPolicy: Never
enableServiceLinks: false
automountServiceAccountToken: false
{{- with $values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- if $values.rbac.create }}
serviceAccountName: {{ $name }}
{{- end }}
{{- if or $config.sources $values.rbac.create }}
volumes:
  {{- with $config.sources }}
  - name: config
    projected: {sources: {{ toJson . }}}
  {{- end }}
  {{- if $values.rbac.create }}
  - name: api
    projected:
      sources:
        - serviceAccountToken: {path: token, expirationSeconds: 600}
        - configMap: {name: kube-root-ca.crt, items: [{key: ca.crt, path: ca.crt}]}
  {{- end }}
{{- end }}
containers:
  - name: test
    {{- $own := ($values.tests | default dict).image }}
    {{- $image := dict "image" $own "where" "tests.image" "default" "python:3.13-alpine" }}
    {{- $spec := include "chartgen.helperSpec" . | fromJson }}
    {{- dict "root" .root "spec" $spec | merge $image | include "chartgen.helperImage" | nindent
      4 }}
    command: [/bin/sh, -c]
    args: [{{ .root.Files.Get "files/test.sh" | toJson }}]
    env:
      - {name: NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
      - {name: ROLES, value: {{ include "chartgen.testRoles"
        (merge (dict "listed" $config.listed) .) | toJson }}}
      {{- $decides := .root.Job.plan.decides }}
      - {name: DECIDES, value: {{ empty $decides.role | ternary ""
        (include "chartgen.replicaName" (merge (dict "role" $decides.role "index" 0) .)) | quote }}}
      - {name: FILES, value: /config}
      - {name: CONFIG, value: {{ join " " $config.keys | toJson }}}
      - {name: HOSTS, value: {{ $config.hosts | toJson }}}
      {{- $tensorboard := printf "%s 80" (include "chartgen.name"
        (merge (dict "name" "tensorboard") .)) }}
      - {name: TENSORBOARD, value: {{ empty $values.tensorboard | ternary "" $tensorboard
        | quote }}}
      - {name: SELECTOR, value: {{ printf "app.kubernetes.io/instance=%s,chartgen/runtime-id=%s"
        .root.Release.Name .id | urlquery }}}
{{- /* only clouds */}}
      {{- with values .devices }}
      - {name: DEVICES, value: {{ join ", " (sortAlpha (splitList " " (join " " .)) | uniq)
        | quote }}}
      {{- end }}
{{- /* end clouds */}}
      - {name: API, value: {{ $values.rbac.create | ternary "/api" "" | quote }}}
    resources:
      requests: {cpu: 10m, memory: 16Mi, ephemeral-storage: 1Mi}
      limits: {cpu: 500m, memory: 128Mi, ephemeral-storage: 64Mi}
    {{- if or $config.sources $values.rbac.create }}
    volumeMounts:
      {{- if $config.sources }}
      - {name: config, mountPath: /config, readOnly: true}
      {{- end }}
      {{- if $values.rbac.create }}
      - {name: api, mountPath: /api, readOnly: true}
      {{- end }}
    {{- end }}
{{- end -}}

{{- define "chartgen.testMetadata" -}}
{{- include "chartgen.metadata" (merge (dict "hook" (include "chartgen.testHook" .)) .) }}
{{- end -}}

{{- define "chartgen.testHook" -}}
helm.sh/hook: test
helm.sh/hook-weight: {{ .weight | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
helm.sh/hook-output-log-policy: hook-succeeded,hook-failed
{{- end -}}

{{/*
The release's ConfigMaps as a volume for the test, each key at NAME/KEY. The result is {"sources":
LIST, "keys": ["peers-76no/hosts", ...], "hosts": KEY, "listed": ROLES}: the last two are the list
of peers and whom it lists. The test reports what is missing.
*/}}
{{- define "chartgen.testConfig" -}}
{{- $sources := list }}{{- $keys := list }}{{- $hosts := "" }}{{- $listed := list }}
{{- $planned := .root.Job.plan.hosts | default dict }}
{{- range .root.Job.configs }}
  {{- $name := include "chartgen.name" (merge (dict "name" .name) $) }}
  {{- $items := list }}
  {{- range $key, $_ := .data }}
    {{- $path := printf "%s/%s" $name $key }}
    {{- $items = append $items (dict "key" $key "path" $path) }}
    {{- $keys = append $keys $path }}
  {{- end }}
  {{- if eq .name ($planned.config | default "") }}
    {{- $hosts = printf "%s/hosts" $name }}
    {{- $listed = $planned.roles }}
  {{- end }}
  {{- $sources = append $sources (dict "configMap"
    (dict "name" $name "optional" true "items" $items)) }}
{{- end }}
{{- dict "sources" $sources "keys" $keys "hosts" $hosts "listed" $listed | toJson }}
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
{{- $framework := .root.Job.plan }}
{{- $decides := .root.Job.plan.decides }}
{{- $rows := list }}
{{- range $name, $role := .root.Values.roles }}
{{- $planned := get $framework.roles $name }}
{{- if and (int $role.replicas) (not (or $planned.noJobs $planned.bare)) }}
  {{- $prefix := include "chartgen.replicaName" (merge (dict "role" $name "index" "") $) }}
  {{- $is := list "job" }}
  {{- if $planned.service }}{{ $is = append $is "service" }}{{ end }}
  {{- if has $name $.listed }}{{ $is = append $is "listed" }}{{ end }}
  {{- $starts := and $planned.starts (include "chartgen.starts"
    (dict "root" $.root "role" $name)) }}
  {{- if and $planned.service (or $starts (and $planned.command (not $role.command))) }}
    {{- $is = append $is "serves" }}
  {{- end }}
{{- /* only clouds */}}
  {{- if hasKey $.devices $name }}{{ $is = append $is "device" }}{{ end }}
{{- /* end clouds */}}
  {{- if and $decides.all (eq $name $decides.role) }}{{ $is = append $is "decides" }}{{ end }}
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
