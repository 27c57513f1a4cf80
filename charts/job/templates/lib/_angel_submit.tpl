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
