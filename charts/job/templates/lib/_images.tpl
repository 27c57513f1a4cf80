{{/* Images: a reference as one text, or as repository, tag and digest; from the registry of all images, if one is set. */}}

{{/* An image as one text: (dict "image" IMAGE "where" WHERE). */}}
{{- define "chartgen.imageReference" -}}
{{- $text := .image }}
{{- if kindIs "map" $text }}
  {{- $text = required (printf "%s.repository must be set beside tag or digest; an image that is one text is set as a whole: %s=REPOSITORY:TAG" .where .where) .image.repository }}
  {{- if not (kindIs "invalid" .image.tag) }}{{ $text = printf "%s:%s" $text (include "chartgen.text" .image.tag) }}{{ end }}{{/* 0 is one too */}}
  {{- with .image.digest }}{{ $text = printf "%s@%s" $text . }}{{ end }}
{{- end }}
{{- $text -}}
{{- end -}}

{{/* The same from the registry of all images, if there is one: (dict "root" $ "image" IMAGE "where" WHERE). */}}
{{- define "chartgen.imageText" -}}
{{- $text := include "chartgen.imageReference" . }}
{{- with (.root.Values.global | default dict).imageRegistry }}
  {{- $parts := splitList "/" $text }}
  {{- $host := first $parts }}
  {{- if and (gt (len $parts) 1) (or (contains "." $host) (contains ":" $host) (ne $host (lower $host)) (eq $host "localhost")) }}{{ $parts = rest $parts }}{{ end }}
  {{- $text = join "/" (prepend $parts (trimSuffix "/" .)) }}
{{- end }}
{{- $text -}}
{{- end -}}

{{/* The same for every container of a pod, in place: (dict "root" $ "pod" POD "where" WHERE). */}}
{{- define "chartgen.useImages" -}}
{{- range concat .pod.spec.containers (.pod.spec.initContainers | default list) }}
  {{- $_ := set . "image" (include "chartgen.imageText" (dict "root" $.root "image" .image "where" $.where)) }}
{{- end }}
{{- end -}}

{{/*
The image of a container that helps the job, and how it is pulled where it is the job's own: what is set for that container, or for all,
else its default: (dict "root" $ "image" IMAGE "where" WHERE "default" IMAGE "spec" SPEC). "none" is the image of SPEC, a role's.
*/}}
{{- define "chartgen.helperImage" -}}
{{- $where := empty .image | ternary "helperImage" .where }}
{{- $image := .image | default .root.Values.helperImage | default .default }}
{{- $own := eq (toString $image) "none" }}
{{- if $own }}{{ $where = "image" }}{{ $image = .spec.image | default .root.Values.image }}{{ end -}}
image: {{ include "chartgen.imageReference" (dict "image" $image "where" $where) | toJson }}
{{- with and $own .spec.imagePullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
{{- end -}}

{{/* The fields of the role whose image serves where no helper's does, as JSON: the one that decides, or the first by name. */}}
{{- define "chartgen.helperSpec" -}}
{{- $role := (include "chartgen.decides" .root | fromJson).role | default (keys .root.Job.roles | sortAlpha | first) }}
{{- (get (get .root.Job.roles $role) "").spec | toJson }}
{{- end -}}

{{/* The image of a role's pods: (dict "root" $ "spec" SPEC). */}}
{{- define "chartgen.image" -}}
{{- include "chartgen.imageText" (dict "root" .root "image" (.spec.image | default .root.Values.image) "where" "image") -}}
{{- end -}}
