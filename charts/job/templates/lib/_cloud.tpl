{{/* The chosen cloud, and what it has. */}}

{{/* The chosen cloud as JSON. */}}
{{- define "chartgen.cloud" -}}
{{- $name := .Values.cloud | default "none" }}
{{- $clouds := .Values.clouds | default dict }}
{{- $cloud := include "chartgen.mergedCloud" (dict "root" . "name" $name) | fromJson }}
{{- if not (or $cloud (hasKey $clouds $name)) }}
  {{- fail (printf "cloud: no cloud is named %s; expected one of %s, or one of your own under clouds" $name (include "chartgen.knownNames" (dict "root" . "kind" "cloud" "own" $clouds))) }}
{{- end }}
{{- set $cloud "name" $name | toJson }}
{{- end -}}

{{/* A document of files/clouds.yaml as JSON, or nothing: (dict "root" $ "kind" KIND "name" NAME). Only that one is read. */}}
{{- define "chartgen.shipped" -}}
{{- $head := printf "%s: %s\n" .kind .name }}
{{- range splitList "---\n" (.root.Files.Get "files/clouds.yaml") }}{{ if hasPrefix $head . }}{{ fromYaml . | toJson }}{{ end }}{{ end }}
{{- end -}}

{{/* The names of the shipped documents of a kind and of one's own, in words: (dict "root" $ "kind" KIND "own" DICT). */}}
{{- define "chartgen.knownNames" -}}
{{- $names := keys (.own | default dict) }}
{{- range regexFindAll (printf "(?m)^%s: .+$" .kind) (.root.Files.Get "files/clouds.yaml") -1 }}{{ $names = append $names (last (splitList " " .)) }}{{ end }}
{{- $names | uniq | sortAlpha | join ", " }}
{{- end -}}

{{/* What the cloud adds for a resource, as JSON; nothing if it does not know it: (dict "cloud" CLOUD "resource" NAME). */}}
{{- define "chartgen.cloudDevice" -}}
{{- $found := "" }}
{{- range $name, $adds := .cloud.devices }}
  {{- if and (hasSuffix "*" $name) (hasPrefix (trimSuffix "*" $name) $.resource) }}{{ $found = toJson $adds }}{{ end }}
{{- end }}
{{- if hasKey (.cloud.devices | default dict) .resource }}{{ $found = get .cloud.devices .resource | toJson }}{{ end }}
{{- $found }}
{{- end -}}

{{/* The shipped cloud of a name, and one's own laid over it as Helm lays values over values, as JSON: (dict "root" $ "name" NAME). */}}
{{- define "chartgen.mergedCloud" -}}
{{- $cloud := include "chartgen.shipped" (dict "root" .root "kind" "cloud" "name" .name) | default "{}" | fromJson }}
{{- with get (.root.Values.clouds | default dict) .name }}
  {{- $own := kindIs "string" . | ternary (toString . | fromYaml) . }}{{/* --set-file gives text */}}
  {{- with $own.Error }}{{ fail (printf "clouds.%s: %s" $.name .) }}{{ end }}
  {{- $cloud = mergeOverwrite $cloud (deepCopy $own) }}
{{- end }}
{{- omit $cloud "cloud" | toJson }}
{{- end -}}
