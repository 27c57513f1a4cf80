{{/*
Angel: the command line of the client, made of the values of the roles whose pods Angel creates.
*/}}

{{/*
The words of angel-submit, as a JSON list. Takes (dict "root" $ "plan" PLAN "role" ROLE "spec" SPEC
"id" ID).
*/}}
{{- define "chartgen.angelSubmit" -}}
{{- $options := .root.Values.angel }}
{{- $words := list }}
{{- $classes := list }}
{{- if and $options.hadoop $options.hadoopConfigMap }}
  {{- fail "angel.hadoop and angel.hadoopConfigMap are both set; expected one of them" }}
{{- end }}
{{- if or $options.hadoop $options.hadoopConfigMap }}
  {{- $words = list "HADOOP_CONF_DIR=/etc/hadoop/conf" }}
  {{- $classes = list "/etc/hadoop/conf" }}
{{- end }}
{{- with $options.masterClassPath }}{{ $classes = append $classes . }}{{ end }}
{{- if $classes }}
  {{- if hasKey (.spec.env | default dict) "CLASSPATH" }}
    {{- $classes = append $classes "$(CLASSPATH)" }}
  {{- end }}
  {{- $words = append $words (printf "CLASSPATH=%s" (join ":" $classes)) }}
{{- end }}
{{- if $words }}{{ $words = prepend $words "env" }}{{ end }}
{{- $words = append $words (printf "%s/bin/angel-submit" $options.home) }}
{{- range $key, $value := include "chartgen.angelProperties" . | fromJson }}
  {{- /* Kubernetes would expand $(NAME) itself, and reads $$ as $. */}}
  {{- $words = append $words (printf "-D%s=%s" $key $value | replace "$" "$$") }}
{{- end }}
{{- toJson $words }}
{{- end -}}

{{/* All properties, as a JSON map of strings. */}}
{{- define "chartgen.angelProperties" -}}
{{- $values := .root.Values }}
{{- $shared := include "chartgen.shared" .root | fromJson }}
{{- $specs := dict }}
{{- range $role := list "master" "ps" "worker" }}
  {{- $_ := set $specs $role (mergeOverwrite (deepCopy $shared)
    (deepCopy (get $values.roles $role))) }}
{{- end }}
{{- range $field := list "env" "volumes" "volumeMounts" "labels" "annotations" }}
  {{- if ne (get $specs.ps $field | toJson) (get $specs.worker $field | toJson) }}
    {{- fail (print "Angel sets " $field " for roles.ps and roles.worker together; "
      "expected the same for both") }}
  {{- end }}
{{- end }}
{{- $found := dict "angel.job.name" .root.Chart.Name }}
{{- range $key, $value := $values.angel.properties }}
  {{- $_ := set $found $key (include "chartgen.text" $value) }}
{{- end }}
{{- $image := required "image must be set, for the pods that Angel makes" $values.image }}
{{- $common := dict "image" $image }}
{{- $own := dict "angel.deploy.mode" "KUBERNETES" "angel.kubernetes.master" $values.angel.apiServer
  "angel.kubernetes.namespace" .root.Release.Namespace
  "angel.kubernetes.serviceaccount" (include "chartgen.account" .)
  "angel.kubernetes.container.image" (include "chartgen.image" (dict "root" .root "spec" $common))
  "angel.kubernetes.master.port" (int $values.roles.master.port | toString)
  "angel.ps.number" (int $values.roles.ps.replicas | toString)
  "angel.workergroup.number" (int $values.roles.worker.replicas | toString) }}
{{- with $values.imagePullPolicy }}
  {{- $_ := set $own "angel.kubernetes.container.image.pullPolicy" . }}
{{- end }}
{{- range $role, $word := dict "master" "am" "ps" "ps" "worker" "worker" }}
  {{- $own = mergeOverwrite $own (include "chartgen.angelSize"
    (dict "role" $role "word" $word "spec" (get $specs $role)) | fromJson) }}
{{- end }}
{{- range $maker, $role := dict "master" "master" "executor" "ps" }}
  {{- $labels := include "chartgen.selectorLabels" $ | fromYaml }}
  {{- if eq $maker "master" }}{{ $_ := set $labels "chartgen/role" "master" }}{{ end }}
  {{- $own = mergeOverwrite $own (include "chartgen.angelPods"
    (dict "maker" $maker "role" $role "spec" (get $specs $role) "labels" $labels) | fromJson) }}
{{- end }}
{{- with $values.angel.masterClassPath }}
  {{- $_ := set $own "angel.kubernetes.master.extraClassPath" . }}
{{- end }}
{{- with $values.angel.executorClassPath }}
  {{- $_ := set $own "angel.kubernetes.executor.extraClassPath" . }}
{{- end }}
{{- mergeOverwrite $found $own | toJson }}
{{- end -}}

{{/*
The resources of a role, as JSON. Takes (dict "role" ROLE "word" WORD_OF_ANGEL "spec" SPEC).
*/}}
{{- define "chartgen.angelSize" -}}
{{- $found := dict }}
{{- $resources := .spec.resources | default dict }}
{{- range $name, $quantity := include "chartgen.requests" .spec | fromJson }}
  {{- $amount := include "chartgen.amount" $quantity | float64 }}
  {{- if eq $name "memory" }}{{ $amount = divf $amount 1073741824 }}{{ end }}
  {{- if not (has $name (list "cpu" "memory")) }}
    {{- fail (printf "roles.%s: Angel can only request CPUs and memory, not %s" $.role $name) }}
  {{- end }}
  {{- if or (ne (floor $amount) $amount) (lt $amount 1.0) }}
    {{- fail (printf "roles.%s.resources: %v of %s; Angel only supports whole CPUs and GiB" $.role
      $quantity $name) }}
  {{- end }}
  {{- $_ := set $found (printf "angel.%s.%s" $.word
    (eq $name "cpu" | ternary "cpu.vcores" "memory.gb")) (int64 $amount | toString) }}
{{- end }}
{{- with ($resources.limits | default dict).cpu }}
  {{- $_ := set $found (printf "angel.kubernetes.%s.limit.cores" $.role)
    (include "chartgen.text" .) }}
{{- end }}
{{- toJson $found }}
{{- end -}}

{{/*
The other properties of pods, as JSON. Takes (dict "maker" "master" or "executor" "role" ROLE "spec"
SPEC "labels" LABELS).
*/}}
{{- define "chartgen.angelPods" -}}
{{- $found := dict }}
{{- $prefix := printf "angel.kubernetes.%s" .maker }}
{{- range $key, $value := mergeOverwrite (deepCopy (.spec.labels | default dict)) .labels }}
  {{- $_ := set $found (printf "%s.label.%s" $prefix $key) (include "chartgen.text" $value) }}
{{- end }}
{{- range $key, $value := .spec.annotations }}
  {{- $_ := set $found (printf "%s.annotation.%s" $prefix $key) (include "chartgen.text" $value) }}
{{- end }}
{{- range $name, $value := .spec.env }}
  {{- if kindIs "map" $value }}
    {{- $key := dig "valueFrom" "secretKeyRef" dict $value }}
    {{- if not $key }}
      {{- fail (printf "roles.%s.env.%s: Angel can only set values and keys of Secrets" $.role
        $name) }}
    {{- end }}
    {{- $_ := set $found (printf "%s.secretKeyRef.%s" $prefix $name)
      (printf "%s:%s" $key.name $key.key) }}
  {{- else if not (kindIs "invalid" $value) }}
    {{- $_ := set $found (printf "%sEnv.%s" $prefix $name) (include "chartgen.text" $value) }}
  {{- end }}
{{- end }}
{{- $volumes := dict }}{{- range .spec.volumes }}{{ $_ := set $volumes .name . }}{{ end }}
{{- range .spec.volumeMounts }}
  {{- $volume := get $volumes .name }}
  {{- $kind := omit $volume "name" | keys | first }}
  {{- $source := get $volume $kind }}
  {{- if eq $kind "secret" }}
    {{- $_ := set $found (printf "%s.secrets.%s" $prefix $source.secretName) .mountPath }}
  {{- else }}
    {{- if not (has $kind (list "hostPath" "emptyDir" "persistentVolumeClaim")) }}
      {{- fail (printf "roles.%s: Angel cannot mount a %s in its pods" $.role $kind) }}
    {{- end }}
    {{- $volumePrefix := printf "%s.volumes.%s.%s" $prefix $kind .name }}
    {{- $_ := set $found (printf "%s.mount.path" $volumePrefix) .mountPath }}
    {{- if or .readOnly $source.readOnly }}
      {{- $_ := set $found (printf "%s.mount.readOnly" $volumePrefix) "true" }}
    {{- end }}
    {{- range $option := list "path" "claimName" "medium" "sizeLimit" }}
      {{- with get $source $option }}
        {{- $_ := set $found (printf "%s.options.%s" $volumePrefix $option)
          (include "chartgen.text" .) }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- toJson $found }}
{{- end -}}
