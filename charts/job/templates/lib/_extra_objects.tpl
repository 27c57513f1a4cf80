{{/*
Refuses an extra object with a name that the chart may use itself. Takes (dict "root" $ "where"
WHERE "object" OBJECT).
*/}}
{{- define "chartgen.checkExtraObject" -}}
{{- $name := .object.metadata.name | toString }}
{{- $known := concat (keys .root.Values.roles) (list "cleanup" "helpers" "tensorboard" "test") }}
{{- /* only rights */}}
{{- $known = concat $known (list "access" "strays" "strays-delete" "strays-upgrade" "watch") }}
{{- /* end rights */}}
{{- range .root.Job.configs }}{{ $known = append $known .name }}{{ end }}
{{- /* only services */}}
{{- range include "chartgen.services" (dict "root" .root) | fromYamlArray }}
  {{- $known = append $known .name }}
{{- end }}
{{- /* end services */}}
{{- $own := printf "^%s(%s)-%s(-[0-9a-f]+)?$" (.root.Values.namePrefix | default ""
  | regexQuoteMeta) (join "|" $known) (regexQuoteMeta .root.Job.id) }}
{{- if regexMatch $own $name }}
  {{- fail (printf "%s: the chart has an object of its own named %s; expected another name" .where
    $name) }}
{{- end }}
{{- if not (toYaml .object) }}
  {{- fail (printf "%s: the object cannot be printed as YAML" .where) }}
{{- end }}
{{- end -}}
