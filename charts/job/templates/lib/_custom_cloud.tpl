{{/* Checks of custom clouds: --set-file passes text, which values.schema.json cannot check. */}}

{{/* Refuses a custom cloud that is wrong. Takes (dict "root" $ "where" WHERE "cloud" CLOUD). */}}
{{- define "chartgen.checkCloud" -}}
{{- $adds := dict "env" "map" "volumes" "slice" "volumeMounts" "slice" "resources" "map"
  "securityContext" "map" "nodeSelector" "map"
  "tolerations" "slice" "labels" "map" "annotations" "map" "sidecars" "slice" "pod" "map" }}
{{- $kinds := dict
  "devices" (merge (dict "selectors" "map") $adds)
  "types" (merge (dict "resource" "string" "selectors" "map" "topologies" "map") $adds)
  "fabrics" (merge (dict "description" "string" "takes" "slice" "together" "string" "types" "map")
    $adds)
  "machines" (dict "type" "string" "holds" "map") }}
{{- $fields := dict "description" "string" "selectors" "map" "devices" "map" "types" "map" "fabrics"
  "map" "machines" "map" }}
{{- include "chartgen.checkCloudFields" (dict "where" .where "node" .cloud "fields" $fields) }}
{{- range $kind, $known := $kinds }}
  {{- range $name, $one := get $.cloud $kind | default dict }}
    {{- $where := printf "%s.%s.%s" $.where $kind $name }}
    {{- $volumes := list }}
    {{- if eq $kind "fabrics" }}
      {{- $shipped := include "chartgen.shipped" (dict "root" $.root "kind" "fabric" "name" $name)
        | default "{}" | fromJson }}
      {{- $volumes = $shipped.volumes | default list }}
    {{- end }}
    {{- include "chartgen.checkCloudPart" (dict "where" $where "node" $one "fields" $known
      "volumes" $volumes) }}
    {{- $volumes = concat $volumes ($one.volumes | default list) }}
    {{- range $type, $more := $one.types }}
      {{- include "chartgen.checkCloudPart" (dict "where" (printf "%s.types.%s" $where $type)
        "node" $more "fields" $adds "volumes" $volumes) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end -}}

{{/*
Refuses a part that is wrong. Takes (dict "where" WHERE "node" DATA "fields" DICT "volumes" LIST),
where the last are those that it may mount beside its own.
*/}}
{{- define "chartgen.checkCloudPart" -}}
{{- include "chartgen.checkCloudFields" . }}
{{- $_ := include "chartgen.env" (dict "who" .where "env" .node.env) }}
{{- include "chartgen.checkCloudMounts" . }}
{{- end -}}

{{/*
Refuses unknown keys and wrong types. Takes (dict "where" WHERE "node" DATA "fields" DICT).
*/}}
{{- define "chartgen.checkCloudFields" -}}
{{- $words := dict "map" "a mapping" "slice" "a list" "string" "text" }}
{{- if not (kindIs "map" .node) }}{{ fail (printf "%s: expected a mapping" .where) }}{{ end }}
{{- range $key, $value := .node }}
  {{- $kind := get $.fields $key }}
  {{- if not $kind }}
    {{- fail (printf "%s: unknown key %s; expected one of %s" $.where $key
      (keys $.fields | sortAlpha | join ", ")) }}
  {{- end }}
  {{- if not (kindIs $kind $value) }}
    {{- fail (printf "%s.%s: expected %s" $.where $key (get $words $kind)) }}
  {{- end }}
{{- end }}
{{- end -}}

{{/*
Refuses mounts of unknown volumes, and two at one path. Takes (dict "where" WHERE "node" DATA
"volumes" LIST), where the last are those that it may mount beside its own.
*/}}
{{- define "chartgen.checkCloudMounts" -}}
{{- $known := list }}{{- $paths := list }}
{{- range concat (.node.volumes | default list) .volumes }}
  {{- if not (and (kindIs "map" .) .name) }}
    {{- fail (printf "%s.volumes: expected volumes, each with a name" $.where) }}
  {{- end }}
  {{- $known = append $known .name }}
{{- end }}
{{- range .node.volumeMounts }}
  {{- if not (and (kindIs "map" .) .name .mountPath) }}
    {{- fail (printf "%s.volumeMounts: expected a name and a mountPath each" $.where) }}
  {{- end }}
  {{- if not (has .name $known) }}
    {{- fail (printf "%s.volumeMounts: no volume here is named %s" $.where .name) }}
  {{- end }}
  {{- if has (clean .mountPath) $paths }}
    {{- fail (printf "%s.volumeMounts: a volume is already mounted at %s; expected another path"
      $.where .mountPath) }}
  {{- end }}
  {{- $paths = append $paths (clean .mountPath) }}
{{- end }}
{{- end -}}

{{/* Refuses custom clouds that the templates cannot use, whether or not they are chosen. */}}
{{- define "chartgen.checkClouds" -}}
{{- range $name, $_ := .Values.clouds }}
  {{- $cloud := include "chartgen.mergedCloud" (dict "root" $ "name" $name) | fromJson }}
  {{- include "chartgen.checkCloud" (dict "root" $ "where" (printf "clouds.%s" $name) "cloud"
    $cloud) }}
{{- end }}
{{- end -}}
