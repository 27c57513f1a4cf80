{{/* Names of objects: with the prefix and the runtime id, so that two releases never collide. */}}

{{/* The name of an object that exists once. Takes (dict "root" $ "id" ID "name" "peers"). */}}
{{- define "chartgen.name" -}}
{{- printf "%s%s-%s" (.root.Values.namePrefix | default "") .name .id
  | include "chartgen.checkLength" -}}
{{- end -}}

{{/*
The name of a replica's Job and Service. Takes (dict "root" $ "id" ID "role" ROLE "index" INDEX).
*/}}
{{- define "chartgen.replicaName" -}}
{{- printf "%s%s-%s-%s" (.root.Values.namePrefix | default "") .role .id (toString .index) -}}
{{- end -}}

{{/*
Refuses a name that is too long for a DNS label. The length of a name with a mark in it is not known
yet.
*/}}
{{- define "chartgen.checkLength" -}}
{{- if and (gt (len .) 63) (not (contains "@" .)) }}
  {{- fail (print "the name " . " has " (len .) " characters; Kubernetes allows 63: "
    "shorten namePrefix or runtimeId") }}
{{- end }}
{{- . -}}
{{- end -}}
