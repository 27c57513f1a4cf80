{{/* The pods that remove what the job created at run time. */}}

{{- define "chartgen.straysPod" -}}
restartPolicy: Never
enableServiceLinks: false
serviceAccountName: {{ .account | toJson }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
containers:
  - name: strays
    {{- $own := kindIs "map" .root.Values.cleanup | ternary .root.Values.cleanup dict }}
    {{- dict "root" .root "image" $own.image "where" "cleanup.image" "default" "python:3.13-alpine"
      | include "chartgen.helperImage" | nindent 4 }}
    command: [python3, -c]
    {{- $strays := .root.Files.Get "files/strays.py" | replace
      "from api import JOBS, find, remove, say\n" "" }}
    args: [{{ printf "%s\n\n%s" (.root.Files.Get "files/api.py") $strays | toJson }}]
    env:
      - {name: NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
      - {name: STRAYS, value: {{ include "chartgen.unmanaged" . | toJson }}}
      - {name: SELECTOR, value: {{ printf "app.kubernetes.io/instance=%s,chartgen/role"
        .root.Release.Name | toJson }}}
      - {name: KEEP, value: {{ .keep | toJson }}}
    resources:
      requests: {cpu: 10m, memory: 32Mi, ephemeral-storage: 1Mi}
      limits: {cpu: 500m, memory: 128Mi, ephemeral-storage: 64Mi}
{{- end -}}

{{- define "chartgen.straysMetadata" -}}
{{- include "chartgen.metadata" (merge (dict "hook" (include "chartgen.straysHook" .)) .) }}
{{- end -}}

{{- define "chartgen.straysHook" -}}
helm.sh/hook: {{ .event | default "pre-upgrade,pre-delete" }}
helm.sh/hook-weight: {{ .weight | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}
