{{/* The pod of helm test. */}}

{{- define "chartgen.testPod" -}}
{{- $config := include "chartgen.testConfig" . | fromJson }}
{{- $name := include "chartgen.name" . }}
{{- $values := .root.Values -}}
restartPolicy: Never
enableServiceLinks: false
automountServiceAccountToken: false
{{- with $values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- if $values.rbac.create }}
serviceAccountName: {{ $name }}
{{- end }}
{{- if or $config.sources $values.rbac.create }}
volumes:
  {{- with $config.sources }}
  - name: config
    projected: {sources: {{ toJson . }}}
  {{- end }}
  {{- if $values.rbac.create }}
  - name: api
    projected:
      sources:
        - serviceAccountToken: {path: token, expirationSeconds: 600}
        - configMap: {name: kube-root-ca.crt, items: [{key: ca.crt, path: ca.crt}]}
  {{- end }}
{{- end }}
containers:
  - name: test
    {{- $own := ($values.tests | default dict).image }}
    {{- dict "root" .root "image" $own "where" "tests.image" "default" "python:3.13-alpine"
      | include "chartgen.helperImage" | nindent 4 }}
    command: [/bin/sh, -c]
    args: [{{ .root.Files.Get "files/test.sh" | toJson }}]
    env:
      - {name: NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
      - {name: ROLES, value: {{ include "chartgen.testRoles" . | toJson }}}
      {{- $decides := .root.Job.plan.decides }}
      - {name: DECIDES, value: {{ empty $decides.role | ternary ""
        (include "chartgen.replicaName" (merge (dict "role" $decides.role "index" 0) .)) | quote }}}
      - {name: FILES, value: /config}
      - {name: CONFIG, value: {{ join " " $config.keys | toJson }}}
      - {name: HOSTS, value: {{ $config.hosts | toJson }}}
      {{- $names := merge (dict "name" "tensorboard") . }}
      - name: TENSORBOARD
        value: "{{ if $values.tensorboard }}{{ include "chartgen.name" $names }} 80{{ end }}"
      - {name: SELECTOR, value: {{ include "chartgen.selector" . | urlquery }}}
{{- /* only clouds */}}
      {{- with values .devices }}
      - {name: DEVICES, value: {{ join ", " (sortAlpha (splitList " " (join " " .)) | uniq)
        | quote }}}
      {{- end }}
{{- /* end clouds */}}
      - {name: API, value: {{ $values.rbac.create | ternary "/api" "" | quote }}}
    resources:
      requests: {cpu: 10m, memory: 16Mi, ephemeral-storage: 1Mi}
      limits: {cpu: 500m, memory: 128Mi, ephemeral-storage: 64Mi}
    {{- if or $config.sources $values.rbac.create }}
    volumeMounts:
      {{- if $config.sources }}
      - {name: config, mountPath: /config, readOnly: true}
      {{- end }}
      {{- if $values.rbac.create }}
      - {name: api, mountPath: /api, readOnly: true}
      {{- end }}
    {{- end }}
{{- end -}}

{{- define "chartgen.testMetadata" -}}
{{- include "chartgen.metadata" (merge (dict "hook" (include "chartgen.testHook" .)) .) }}
{{- end -}}

{{- define "chartgen.testHook" -}}
helm.sh/hook: test
helm.sh/hook-weight: {{ .weight | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
helm.sh/hook-output-log-policy: hook-succeeded,hook-failed
{{- end -}}
