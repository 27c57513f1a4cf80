{{/* TensorBoard's finished pod as JSON. Takes (dict "root" $ "id" ID). */}}
{{- define "chartgen.tensorboardPod" -}}
{{- $pod := include "chartgen.tensorboardTemplate" . | replace "\ufeff" "\\ufeff" | fromYaml }}
{{- with $pod.Error }}{{ fail (printf "tensorboard: %s" .) }}{{ end }}
{{- $cloud := include "chartgen.cloud" .root | fromJson }}
{{- include "chartgen.inject" (dict "root" .root "cloud" $cloud "who" "tensorboard" "id" .id "pod"
  $pod
  "asked" dict "last" list) }}
{{- $where := hasKey .root.Values.tensorboard "image" | ternary "tensorboard.image" "image" }}
{{- include "chartgen.useImages" (dict "root" .root "pod" $pod "where" $where) }}
{{- include "chartgen.checkAnnotations" (dict "who" "tensorboard" "pod" $pod) }}
{{- if eq (toString .root.Values.podSecurity) "restricted" }}
  {{- include "chartgen.restrict" $pod }}
{{- end }}
{{- toJson $pod }}
{{- end -}}

{{- define "chartgen.tensorboardTemplate" -}}
{{- $spec := .root.Values.tensorboard }}
{{- $values := .root.Values }}
{{- $labels := include "chartgen.tensorboardSelector" . | fromYaml }}
{{- $native := include "chartgen.tensorboardNative" . | fromJson -}}
metadata:
  labels: {{ mergeOverwrite (deepCopy ($spec.labels | default dict)) $labels $native
    | include "chartgen.textMap" }}
  {{- with $spec.annotations }}
  annotations: {{ include "chartgen.textMap" . }}
  {{- end }}
spec:
  enableServiceLinks: false
  {{- with $spec.serviceAccountName | default $values.serviceAccountName }}
  serviceAccountName: {{ toJson . }}
  {{- else }}
  automountServiceAccountToken: false
  {{- end }}
  {{- with $values.imagePullSecrets }}
  imagePullSecrets: {{ toJson . }}
  {{- end }}
  {{- with $spec.nodeSelector | default $values.nodeSelector }}
  nodeSelector: {{ include "chartgen.textMap" . }}
  {{- end }}
  {{- with $spec.tolerations | default $values.tolerations }}
  tolerations: {{ toJson . }}
  {{- end }}
  {{- with $values.podSecurityContext }}
  securityContext: {{ toJson . }}
  {{- end }}
  {{- with $spec.volumes }}
  volumes: {{ toJson . }}
  {{- end }}
  containers:
    - name: tensorboard
      image: {{ required "tensorboard.image or image must be set"
        ($spec.image | default $values.image) | toJson }}
      {{- with $values.imagePullPolicy }}
      imagePullPolicy: {{ . }}
      {{- end }}
      command: [tensorboard, --logdir, {{ $spec.logDir | toJson }}, --host, 0.0.0.0, --port, "6006"]
      ports: [{name: tb-port, containerPort: 6006}]
      readinessProbe:
        httpGet: {path: /, port: tb-port}
        periodSeconds: 10
        timeoutSeconds: 5
      livenessProbe:
        tcpSocket: {port: tb-port}
        initialDelaySeconds: 60
        periodSeconds: 20
        failureThreshold: 6
      {{- with $spec.env }}
      env:
        {{- include "chartgen.env" (dict "who" "tensorboard" "env" .) | nindent 8 }}
      {{- end }}
      {{- with $spec.resources }}
      resources: {{ toJson . }}
      {{- end }}
      {{- with $spec.volumeMounts }}
      volumeMounts: {{ toJson . }}
      {{- end }}
{{- end -}}

{{- define "chartgen.tensorboardSelector" -}}
{{ include "chartgen.selectorLabels" . }}
app.kubernetes.io/component: tensorboard
app: tensorboard
{{- end -}}

{{/* The labels that users of the native system select by, as JSON. */}}
{{- define "chartgen.tensorboardNative" -}}
{{- $labels := dict "app" "tensorboard" }}
{{- mergeOverwrite $labels (include "chartgen.tensorboardLabels" . | fromYaml) | toJson }}
{{- end -}}
