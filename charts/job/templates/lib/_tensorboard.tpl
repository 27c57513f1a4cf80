{{/* TensorBoard's finished pod as JSON. Takes (dict "root" $ "id" ID). */}}
{{- define "chartgen.tensorboardPod" -}}
{{- $values := .root.Values }}
{{- $spec := deepCopy $values.tensorboard }}
{{- range list "image" "imagePullPolicy" "imagePullSecrets" "nodeSelector" "serviceAccountName"
  "tolerations" }}
  {{- $_ := set $spec . (get $spec . | default (get $values .)) }}
{{- end }}
{{- $_ := include "chartgen.tensorboardResources" $spec | fromJson | set $spec "resources" }}
{{- $_ := mergeOverwrite (deepCopy ($values.podSecurityContext | default dict))
  ($spec.podSecurityContext | default dict) | set $spec "podSecurityContext" }}
{{- $role := dict "container" "tensorboard" "portName" "tb-port" }}
{{- $parts := include "chartgen.tensorboardParts" $spec | replace "\ufeff" "\\ufeff" | fromYaml }}
{{- $text := include "chartgen.pod" (dict "root" .root "id" .id "index" "" "who" "tensorboard"
  "role" "tensorboard" "plan" (dict "roles" (dict "tensorboard" $role)) "framework" $parts
  "last" list "spec" (set $spec "port" 6006)) }}
{{- $pod := replace "\ufeff" "\\ufeff" $text | fromYaml }}
{{- with $pod.Error }}{{ fail (printf "tensorboard: %s" .) }}{{ end }}
{{- $_ := unset $pod.spec "restartPolicy" }}
{{- $_ := mergeOverwrite (omit $pod.metadata.labels "chartgen/index" "chartgen/role")
  (include "chartgen.tensorboardSelector" . | fromYaml)
  (include "chartgen.tensorboardLabels" . | fromYaml) | set $pod.metadata "labels" }}
{{- $_ := merge (first $pod.spec.containers) (pick $parts "livenessProbe" "readinessProbe") }}
{{- /* only clouds */}}
{{- $cloud := include "chartgen.cloud" .root | fromJson }}
{{- include "chartgen.inject" (dict "root" .root "cloud" $cloud "who" "tensorboard" "id" .id "pod"
  $pod "asked" dict "last" list) }}
{{- /* end clouds */}}
{{- /* without clouds */}}
{{- include "chartgen.checkLimits" (dict "who" "tensorboard" "pod" $pod) }}
{{- /* end clouds */}}
{{- $where := hasKey $values.tensorboard "image" | ternary "tensorboard.image" "image" }}
{{- include "chartgen.useImages" (dict "root" .root "pod" $pod "where" $where) }}
{{- include "chartgen.checkAnnotations" (dict "who" "tensorboard" "pod" $pod) }}
{{- include "chartgen.protectTensorboard" (dict "values" $values "spec" $pod.spec) }}
{{- toJson $pod }}
{{- end -}}

{{/* What TensorBoard adds to its pod: its command, probes, and a place for temporary files. */}}
{{- define "chartgen.tensorboardParts" -}}
command: [tensorboard, --logdir, {{ .logDir | toJson }}, --host, 0.0.0.0, --port, "6006"]
readinessProbe: {httpGet: {path: /, port: tb-port}, periodSeconds: 10, timeoutSeconds: 5}
livenessProbe: {tcpSocket: {port: tb-port}, initialDelaySeconds: 60, periodSeconds: 20,
  failureThreshold: 6}
{{- $own := false }}
{{- range .volumeMounts }}{{ if eq (clean .mountPath) "/tmp" }}{{ $own = true }}{{ end }}{{ end }}
{{- if not $own }}
volumes: [{name: chartgen-tmp, emptyDir: {}}]
volumeMounts: [{name: chartgen-tmp, mountPath: /tmp}]
{{- end }}
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
{{- $container := first .spec.containers }}
{{- $pods := .spec.securityContext | default dict }}
{{- $own := $container.securityContext | default dict }}
{{- $around := include "chartgen.restrictedPod" . | fromYaml }}
{{- if ne (toString .values.podSecurity) "restricted" }}
  {{- $around = mergeOverwrite (omit $around "fsGroup")
    (dict "runAsUser" 65532 "runAsGroup" 65532) }}
{{- end }}
{{- if has "0" (list (toString $pods.runAsUser) (toString $own.runAsUser)) }}
  {{- $_ := unset $around "runAsNonRoot" }}
{{- end }}
{{- $_ := set .spec "securityContext" (mergeOverwrite $around $pods) }}
{{- $inside := set (include "chartgen.restrictedContainer" . | fromYaml) "readOnlyRootFilesystem"
  true }}
{{- $_ := set $container "securityContext" (mergeOverwrite $inside $own) }}
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
