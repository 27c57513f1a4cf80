{{/* The chosen cloud, and what it has. */}}

{{/* The chosen cloud as JSON. */}}
{{- define "chartgen.cloud" -}}
{{- $name := .Values.cloud | default "none" }}
{{- $clouds := .Values.clouds | default dict }}
{{- $cloud := include "chartgen.mergedCloud" (dict "root" . "name" $name) | fromJson }}
{{- if not (or $cloud (hasKey $clouds $name)) }}
  {{- $known := include "chartgen.knownNames" (dict "root" . "kind" "cloud" "own" $clouds) }}
  {{- fail (print "cloud: no cloud is named " $name "; expected one of " $known
    ", or one of your own under clouds") }}
{{- end }}
{{- set $cloud "name" $name | toJson }}
{{- end -}}

{{/*
A document of files/clouds.yaml as JSON, or nothing. Only that one is parsed. Takes (dict "root" $
"kind" KIND "name" NAME).
*/}}
{{- define "chartgen.shipped" -}}
{{- $head := printf "%s: %s\n" .kind .name }}
{{- range splitList "---\n" (.root.Files.Get "files/clouds.yaml") }}
  {{- if hasPrefix $head . }}{{ fromYaml . | toJson }}{{ end }}
{{- end }}
{{- end -}}

{{/*
The names of the shipped documents of a kind and of the user's, in words. Takes (dict "root" $
"kind" KIND "own" DICT).
*/}}
{{- define "chartgen.knownNames" -}}
{{- $names := keys (.own | default dict) }}
{{- range regexFindAll (printf "(?m)^%s: .+$" .kind) (.root.Files.Get "files/clouds.yaml") -1 }}
  {{- $names = append $names (last (splitList " " .)) }}
{{- end }}
{{- $names | uniq | sortAlpha | join ", " }}
{{- end -}}

{{/*
What the cloud adds for a resource, as JSON; nothing if it does not know it. Takes (dict "cloud"
CLOUD "resource" NAME).
*/}}
{{- define "chartgen.cloudDevice" -}}
{{- $found := "" }}
{{- range $name, $adds := .cloud.devices }}
  {{- if and (hasSuffix "*" $name) (hasPrefix (trimSuffix "*" $name) $.resource) }}
    {{- $found = toJson $adds }}
  {{- end }}
{{- end }}
{{- if hasKey (.cloud.devices | default dict) .resource }}
  {{- $found = get .cloud.devices .resource | toJson }}
{{- end }}
{{- $found }}
{{- end -}}

{{/*
The shipped cloud of a name with the user's merged into it, as JSON. Takes (dict "root" $ "name"
NAME).
*/}}
{{- define "chartgen.mergedCloud" -}}
{{- $cloud := include "chartgen.shipped" (dict "root" .root "kind" "cloud" "name" .name) | default
  "{}" | fromJson }}
{{- with get (.root.Values.clouds | default dict) .name }}
  {{- $own := kindIs "string" . | ternary (toString . | fromYaml) . }}
  {{- /* --set-file passes text */}}
  {{- with $own.Error }}{{ fail (printf "clouds.%s: %s" $.name .) }}{{ end }}
  {{- $cloud = mergeOverwrite $cloud (deepCopy $own) }}
{{- end }}
{{- omit $cloud "cloud" | toJson }}
{{- end -}}
