{{/* A replica's objects as text, with the mark where the index goes, so that ten thousand of them cost one replace each. */}}
{{- define "chartgen.replica" -}}
{{- $name := include "chartgen.replicaName" . }}
{{- $framework := include "chartgen.framework" (merge (dict "spec" .variant.spec) .) | fromJson }}
{{- $pod := toYaml .variant.pod }}
{{- if not $pod }}{{ fail (printf "roles.%s: the pod cannot be printed as YAML" .role) }}{{ end }}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ $name }}
  labels:
    {{- include "chartgen.replicaLabels" . | nindent 4 }}
spec:
  {{- range $key := list "backoffLimit" "activeDeadlineSeconds" }}
  {{- if hasKey $.variant.spec $key }}
  {{ $key }}: {{ get $.variant.spec $key | int }}
  {{- end }}
  {{- end }}
  template:
    {{- $pod | nindent 4 }}
{{- if $framework.service }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}
  labels:
    {{- include "chartgen.replicaLabels" . | nindent 4 }}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    {{- include "chartgen.podLabels" . | nindent 4 }}
  ports:
    - name: {{ $framework.portName }}
      port: {{ int .variant.spec.port }}
{{- end }}
{{ end -}}

{{/*
Labels of a replica's Job and Service: those of its pod, and which chart it came from. An id like 59e90732 is put in quotes, which
toYaml does not do, for it is too large a number for Go; others take it for infinity.
*/}}
{{- define "chartgen.replicaLabels" -}}
{{- $object := include "chartgen.objectLabels" (merge (dict "component" .role) .) | fromYaml }}
{{- $native := (include "chartgen.framework" (merge (dict "spec" .variant.spec) .) | fromJson).labels }}
{{- $labels := mergeOverwrite $object (include "chartgen.podLabels" . | fromYaml) $native | toYaml }}
{{- regexReplaceAll "(?m): ([0-9]+e[0-9]+)$" $labels ": \"${1}\"" }}
{{- end -}}
