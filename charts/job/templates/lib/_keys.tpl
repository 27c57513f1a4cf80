{{/* The ssh keys of a job: brought as a Secret, or made once in the cluster. */}}

{{/*
The name of the Secret. It has no runtime id in it, so the keys outlive upgrades. Takes (dict "root"
$).
*/}}
{{- define "chartgen.keySecret" -}}
{{- include "chartgen.broughtKeys" . | default (printf "%s-ssh" .root.Release.Name) -}}
{{- end -}}

{{/* Whether the chart makes them. Takes (dict "root" $). */}}
{{- define "chartgen.makesKeys" -}}
{{- if not (include "chartgen.broughtKeys" .) }}true{{ end -}}
{{- end -}}

{{/* What the pod that makes them may do: only with this Secret. Takes (dict "root" $). */}}
{{- define "chartgen.keyRules" -}}
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, patch]
  resourceNames: [{{ include "chartgen.keySecret" . | quote }}]
{{- end -}}

{{/* The pod that makes them. Nothing in it depends on the job's own pods: it runs once. */}}
{{- define "chartgen.keysPod" -}}
metadata:
  labels:
    app.kubernetes.io/name: {{ .root.Chart.Name | quote }}
    app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
    app.kubernetes.io/component: keys
spec:
  restartPolicy: OnFailure
  enableServiceLinks: false
  serviceAccountName: {{ .account | toJson }}
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets: {{ toJson . }}
  {{- end }}
  containers:
    - name: keys
      {{- dict "root" .root "where" "helperImage" "default" "python:3.13-alpine"
        | include "chartgen.helperImage" | nindent 6 }}
      command: [python3, -c]
      {{- $keys := .root.Files.Get "files/keys.py" | replace "from api import ask, say\n" "" }}
      args: [{{ printf "%s\n\n%s" (.root.Files.Get "files/api.py") $keys | toJson }}]
      env:
        - {name: NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
        - {name: NAME, value: {{ include "chartgen.keySecret" . | quote }}}
      resources:
        requests: {cpu: 10m, memory: 32Mi, ephemeral-storage: 1Mi}
        limits: {cpu: 500m, memory: 128Mi, ephemeral-storage: 64Mi}
{{- end -}}
