{{/* TensorBoard's finished pod as JSON. Takes (dict "root" $ "id" ID). */}}
{{- define "chartgen.tensorboardPod" -}}
{{- $pod := include "chartgen.tensorboardTemplate" . | replace "\ufeff" "\\ufeff" | fromYaml }}
{{- with $pod.Error }}{{ fail (printf "tensorboard: %s" .) }}{{ end }}
{{- /* only clouds */}}
{{- $cloud := include "chartgen.cloud" .root | fromJson }}
{{- include "chartgen.inject" (dict "root" .root "cloud" $cloud "who" "tensorboard" "id" .id "pod"
  $pod "asked" dict "last" list) }}
{{- /* end clouds */}}
{{- /* without clouds */}}
{{- include "chartgen.checkLimits" (dict "who" "tensorboard" "pod" $pod) }}
{{- /* end clouds */}}
{{- $where := hasKey .root.Values.tensorboard "image" | ternary "tensorboard.image" "image" }}
{{- include "chartgen.useImages" (dict "root" .root "pod" $pod "where" $where) }}
{{- include "chartgen.checkAnnotations" (dict "who" "tensorboard" "pod" $pod) }}
{{- include "chartgen.protectTensorboard" (dict "values" .root.Values "spec" $pod.spec) }}
{{- toJson $pod }}
{{- end -}}

{{- define "chartgen.tensorboardTemplate" -}}
{{- $spec := .root.Values.tensorboard }}
{{- $values := .root.Values }}
{{- $labels := include "chartgen.tensorboardSelector" . | fromYaml }}
{{- $native := include "chartgen.tensorboardLabels" . | fromYaml -}}
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
  {{- $volume := list (dict "name" "chartgen-tmp" "emptyDir" dict) }}
  {{- $mount := list (dict "name" "chartgen-tmp" "mountPath" "/tmp") }}
  {{- range $spec.volumeMounts }}
    {{- if eq (clean .mountPath) "/tmp" }}{{ $volume = list }}{{ $mount = list }}{{ end }}
  {{- end }}
  {{- with concat ($spec.volumes | default list) $volume }}
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
      readinessProbe: {httpGet: {path: /, port: tb-port}, periodSeconds: 10, timeoutSeconds: 5}
      livenessProbe: {tcpSocket: {port: tb-port}, initialDelaySeconds: 60, periodSeconds: 20,
        failureThreshold: 6}
      {{- with $spec.env }}
      env:
        {{- include "chartgen.env" (dict "who" "tensorboard" "env" .) | nindent 8 }}
      {{- end }}
      resources: {{ include "chartgen.tensorboardResources" $spec }}
      volumeMounts: {{ concat ($spec.volumeMounts | default list) $mount | toJson }}
{{- end -}}

{{/* What TensorBoard requests and may use, as JSON; a resource that the job names is its own. */}}
{{- define "chartgen.tensorboardResources" -}}
{{- $resources := deepCopy (.resources | default dict) }}
{{- $named := merge dict ($resources.requests | default dict) ($resources.limits | default dict) }}
{{- range $kind, $amounts := include "chartgen.tensorboardDefaults" . | fromYaml }}
  {{- range $name, $_ := $named }}{{ $_ := unset $amounts $name }}{{ end }}
  {{- $_ := set $resources $kind (mergeOverwrite $amounts (get $resources $kind | default dict)) }}
{{- end }}
{{- toJson $resources }}
{{- end -}}

{{- define "chartgen.tensorboardDefaults" -}}
requests: {cpu: 100m, memory: 512Mi, ephemeral-storage: 16Mi}
limits: {cpu: 2, memory: 4Gi, ephemeral-storage: 1Gi}
{{- end -}}

{{/*
Makes TensorBoard an ordinary user that changes nothing, unless the job says otherwise. In a
restricted job it is the user of the replicas, whose logs it reads.
*/}}
{{- define "chartgen.protectTensorboard" -}}
{{- $board := .values.tensorboard }}{{- $container := first .spec.containers }}
{{- $around := include "chartgen.restrictedPod" . | fromYaml }}
{{- if ne (toString .values.podSecurity) "restricted" }}
  {{- $around = mergeOverwrite (omit $around "fsGroup")
    (dict "runAsUser" 65532 "runAsGroup" 65532) }}
{{- end }}
{{- $inside := include "chartgen.restrictedContainer" . | fromYaml }}
{{- $_ := set $inside "readOnlyRootFilesystem" true }}
{{- range list .values.podSecurityContext $board.podSecurityContext $board.securityContext }}
  {{- if and . (eq (toString .runAsUser) "0") }}{{ $_ := unset $around "runAsNonRoot" }}{{ end }}
{{- end }}
{{- $_ := set .spec "securityContext" (mergeOverwrite $around (.spec.securityContext | default dict)
  (.values.podSecurityContext | default dict) ($board.podSecurityContext | default dict)) }}
{{- $_ := set $container "securityContext" (mergeOverwrite $inside
  ($container.securityContext | default dict) ($board.securityContext | default dict)) }}
{{- end -}}

{{- define "chartgen.tensorboardMetadata" -}}
name: {{ include "chartgen.name" . }}
labels:
  {{- mergeOverwrite (include "chartgen.objectLabels" . | fromYaml) (dict "app" "tensorboard")
    (include "chartgen.tensorboardLabels" . | fromYaml) | toYaml | nindent 2 }}
{{- include "chartgen.annotations" . }}
{{- end -}}

{{- define "chartgen.tensorboardSelector" -}}
{{ include "chartgen.selectorLabels" . }}
app.kubernetes.io/component: tensorboard
app: tensorboard
{{- end -}}
