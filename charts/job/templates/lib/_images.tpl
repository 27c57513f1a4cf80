{{/* Images: a text, or repository, tag and digest. */}}

{{/* An image as a text. Takes (dict "image" IMAGE "where" WHERE). */}}
{{- define "chartgen.imageReference" -}}
{{- $text := .image }}
{{- if kindIs "map" $text }}
  {{- $missing := print .where ".repository must be set beside tag or digest; an image that is "
    "one text is set as a whole: " .where "=REPOSITORY:TAG" }}
  {{- $text = required $missing .image.repository }}
  {{- if not (kindIs "invalid" .image.tag) }}{{/* 0 is a tag */}}
    {{- $text = printf "%s:%s" $text (include "chartgen.text" .image.tag) }}
  {{- end }}
  {{- with .image.digest }}{{ $text = printf "%s@%s" $text . }}{{ end }}
{{- end }}
{{- $text -}}
{{- end -}}

{{/*
The same from global.imageRegistry, if that is set. Takes (dict "root" $ "image" IMAGE "where"
WHERE).
*/}}
{{- define "chartgen.imageText" -}}
{{- $text := include "chartgen.imageReference" . }}
{{- with (.root.Values.global | default dict).imageRegistry }}
  {{- $parts := splitList "/" $text }}
  {{- $host := first $parts }}
  {{- if and (gt (len $parts) 1) (or (contains "." $host) (contains ":" $host)
    (ne $host (lower $host)) (eq $host "localhost")) }}
    {{- $parts = rest $parts }}
  {{- end }}
  {{- $text = join "/" (prepend $parts (trimSuffix "/" .)) }}
{{- end }}
{{- $text -}}
{{- end -}}

{{/*
The same for every container of a pod, in place. Takes (dict "root" $ "pod" POD "where" WHERE).
*/}}
{{- define "chartgen.useImages" -}}
{{- range concat .pod.spec.containers (.pod.spec.initContainers | default list) }}
  {{- $_ := set . "image" (include "chartgen.imageText"
    (dict "root" $.root "image" .image "where" $.where)) }}
{{- end }}
{{- end -}}

{{/*
The image of a container that helps the job, and how it is pulled where it is the job's own. It is
what is set for that container, or for all helpers, else its default; "none" is the image of SPEC, a
role's: by default of the role that decides, or the first by name. Takes (dict "root" $ "image"
IMAGE "where" WHERE "default" IMAGE "spec" SPEC).
*/}}
{{- define "chartgen.helperImage" -}}
{{- $where := empty .image | ternary "helperImage" .where }}
{{- $image := .image | default .root.Values.helperImage | default .default }}
{{- $own := eq (toString $image) "none" }}
{{- /* only waits */}}
{{- $spec := .spec }}
{{- if not $spec }}
  {{- $job := .root.Job }}
  {{- $role := $job.plan.decides.role | default (keys $job.roles | sortAlpha | first) }}
  {{- $spec = (get (get $job.roles $role) "").spec }}
{{- end }}
{{- /* end waits */}}
{{- /* without waits */}}
{{- $job := .root.Job }}
{{- $role := $job.plan.decides.role | default (keys $job.roles | sortAlpha | first) }}
{{- $spec := (get (get $job.roles $role) "").spec }}
{{- /* end waits */}}
{{- if $own }}
  {{- $where = "image" }}
  {{- $image = $spec.image | default .root.Values.image }}
{{- end -}}
image: {{ include "chartgen.imageReference" (dict "image" $image "where" $where) | toJson }}
{{- /* only pulled */}}
{{- $policy := ternary $spec.imagePullPolicy "" $own }}
{{- with .root.Values.helperImagePullPolicy | default $policy }}
{{- /* end pulled */}}
{{- /* without pulled */}}
{{- with and $own $spec.imagePullPolicy }}
{{- /* end pulled */}}
imagePullPolicy: {{ . }}
{{- end }}
{{- end -}}

{{- /* only image */}}
{{/* The image of a role's pods. Takes (dict "root" $ "spec" SPEC). */}}
{{- define "chartgen.image" -}}
{{- include "chartgen.imageText" (dict "root" .root "image"
  (.spec.image | default .root.Values.image) "where" "image") -}}
{{- end -}}
{{- /* end image */}}
