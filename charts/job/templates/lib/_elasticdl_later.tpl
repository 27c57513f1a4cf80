{{/*
ElasticDL 0.1 and 0.2: the flags of their processes, and a master that is a pod.
*/}}

{{/*
The flags that a job sets itself, and those about the job. Takes (dict "root" $ "spec" SPEC "name"
NAME).
*/}}
{{- define "chartgen.elasticdlParams" -}}
{{- $params := .root.Values.elasticdl.params }}
{{- $said := merge (dict "job_name" .name "port" (int .spec.port)) $params }}
{{- $names := concat (list "job_name" "port") (keys $params | sortAlpha) }}
{{- with .root.Values.tensorboard }}
  {{- $_ := set $said "tensorboard_log_dir" (printf "%s/" (trimSuffix "/" .logDir)) }}
  {{- $names = append $names "tensorboard_log_dir" }}
{{- end }}
{{- include "chartgen.elasticdlFlags" (dict "said" $said "names" $names) }}
{{- end -}}
{{- /* only elasticdlMaster01 */}}

{{/* The flags of a master of 0.1 that is a Job. */}}
{{- define "chartgen.elasticdlMaster01" -}}
{{- include "chartgen.elasticdlParams" (dict "root" .root "spec" .spec "name"
  (include "chartgen.elasticdlName" .)) }}
{{- end -}}
{{- /* end elasticdlMaster01 */}}
{{- /* only elasticdlWorker01 */}}

{{/*
The flags of a worker of 0.1 that is a Job. A flag says that there is no embedding service.
*/}}
{{- define "chartgen.elasticdlWorker01" -}}
{{- $master := include "chartgen.replicaName" (dict "root" .root "id" .id "role" "master" "index"
  0) }}
{{- $address := printf "%s:%s" $master (include "chartgen.port"
  (dict "root" .root "role" "master" "number" 0)) }}
{{- $params := .root.Values.elasticdl.params }}
{{- $type := ternary "prediction_only" "evaluation_only" (hasKey $params "prediction_data") }}
{{- if $params.training_data }}
  {{- $when := or $params.evaluation_steps $params.evaluation_throttle_secs }}
  {{- $type = ternary "training_with_evaluation" "training_only"
    (and (hasKey $params "evaluation_data") (not (empty $when))) }}
{{- end }}
{{- $said := merge (dict "worker_id" (toString .index) "master_addr" $address "job_type" $type
  "embedding_service_endpoint" "None") $params }}
{{- $names := list "worker_id" "master_addr" "job_type" "embedding_service_endpoint"
  "minibatch_size" "model_zoo" "model_def" "model_params" "dataset_fn" "loss"
  "optimizer" "eval_metrics_fn" "get_model_steps" "data_reader_params" "log_level" }}
{{- include "chartgen.elasticdlFlags" (dict "said" $said "names" $names) }}
{{- end -}}
{{- /* end elasticdlWorker01 */}}
{{- /* only bare */}}

{{/*
The name of a job whose master is a pod. Names of pods are derived from it, so it has the id, and
an upgrade renames them.
*/}}
{{- define "chartgen.elasticdlNameWithId" -}}
{{- printf "%s-%s" (include "chartgen.elasticdlName" .) .id -}}
{{- end -}}

{{/* The name under which ElasticDL's processes ask the Kubernetes API for the master. */}}
{{- define "chartgen.elasticdlPodName" -}}
{{- printf "elasticdl-%s-master" (include "chartgen.elasticdlNameWithId" .) -}}
{{- end -}}

{{/* The master as a pod: the names of a Job's pods are not known beforehand. */}}
{{- define "chartgen.elasticdlPod" -}}
{{- $pod := deepCopy .variant.pod }}
{{- $_ := set $pod.metadata "name" (include "chartgen.elasticdlPodName" .) }}
{{- with .variant.spec.activeDeadlineSeconds }}
  {{- $_ := set $pod.spec "activeDeadlineSeconds" (int .) }}
{{- end }}
---
apiVersion: v1
kind: Pod
{{ toYaml $pod }}
{{ end -}}

{{/* The flags of a master that is a pod. */}}
{{- define "chartgen.elasticdlPodFlags" -}}
{{- include "chartgen.elasticdlParams" (dict "root" .root "spec" .spec "name"
  (include "chartgen.elasticdlNameWithId" .)) }}
{{- end -}}
{{- /* end bare */}}
{{- /* only elasticdlPods01 */}}

{{/*
Its flags about the workers it creates, for 0.1, which has no parameter servers and mounts at most
one claim.
*/}}
{{- define "chartgen.elasticdlPods01" -}}
{{- $worker := mergeOverwrite (include "chartgen.shared" .root | fromJson)
  (deepCopy .root.Values.roles.worker) }}
{{- $_ := include "chartgen.elasticdlVolume" $worker }}
{{- toJson (without (include "chartgen.elasticdlPods02" . | fromJsonArray) "--num_ps_pods=0") }}
{{- end -}}
{{- /* end elasticdlPods01 */}}
{{- /* only bare */}}

{{/* Its flags about the pods it creates, for 0.2. */}}
{{- define "chartgen.elasticdlPods02" -}}
{{- $shared := include "chartgen.shared" .root | fromJson }}
{{- $worker := mergeOverwrite (deepCopy $shared) (deepCopy .root.Values.roles.worker) }}
{{- $said := dict "num_workers" (int $worker.replicas) "num_ps_pods" 0 "namespace"
  .root.Release.Namespace }}
{{- $_ := set $said "worker_image" (include "chartgen.image"
  (dict "root" .root "spec" (dict "image" (required "roles.worker.image or image must be set"
  $worker.image)))) }}
{{- with include "chartgen.elasticdlVolumes02" $worker }}{{ $_ := set $said "volume" . }}{{ end }}
{{- with $worker.imagePullPolicy }}{{ $_ := set $said "image_pull_policy" . }}{{ end }}
{{- with .root.Values.roles.worker.restartPolicy }}{{ $_ := set $said "restart_policy" . }}{{ end }}
{{- $names := list "num_workers" "num_ps_pods" "worker_image" "volume" "image_pull_policy"
  "restart_policy" "namespace" "envs" }}
{{- range $role := list "worker" "ps" }}
  {{- with get $.root.Values.roles $role }}
    {{- $spec := mergeOverwrite (deepCopy $shared) (deepCopy .) }}
    {{- if eq $role "ps" }}{{ $_ := set $said "num_ps_pods" (int .replicas) }}{{ end }}
    {{- with include "chartgen.requests" $spec | fromJson }}
      {{- $_ := set $said (printf "%s_resource_request" $role)
        (include "chartgen.elasticdlResources" .) }}
    {{- end }}
    {{- with ($spec.resources | default dict).limits }}
      {{- $_ := set $said (printf "%s_resource_limit" $role)
        (include "chartgen.elasticdlResources" .) }}
    {{- end }}
    {{- with $spec.priorityClassName }}
      {{- $_ := set $said (printf "%s_pod_priority" $role) . }}
    {{- end }}
    {{- $names = concat $names (list (printf "%s_resource_request" $role)
      (printf "%s_resource_limit" $role) (printf "%s_pod_priority" $role)) }}
  {{- end }}
{{- end }}
{{- $env := list }}
{{- range $name, $value := $worker.env }}
  {{- $text := ternary "" (include "chartgen.text" $value) (kindIs "map" $value) }}
  {{- if or (kindIs "map" $value) (contains "=" $text) }}
    {{- fail (printf "env.%s: ElasticDL can only give its pods plain values without '='" $name) }}
  {{- end }}
  {{- $env = append $env (printf "%s=%s" $name $text) }}
{{- end }}
{{- with $env }}{{ $_ := set $said "envs" (join "," .) }}{{ end }}
{{- include "chartgen.elasticdlFlags" (dict "said" $said "names" $names) }}
{{- end -}}

{{/* Volumes in the format of 0.2: claims and host directories, separated by ';'. */}}
{{- define "chartgen.elasticdlVolumes02" -}}
{{- $words := list }}
{{- range $mount := .volumeMounts }}
  {{- range $volume := $.volumes }}
    {{- if eq $volume.name $mount.name }}
      {{- $claim := dig "persistentVolumeClaim" "claimName" "" $volume }}
      {{- $host := $volume.hostPath | default dict }}
      {{- if not (or $claim $host.path) }}
        {{- fail (printf "volumes: ElasticDL can mount claims and host directories, not %s"
          $volume.name) }}
      {{- end }}
      {{- $word := printf "host_path=%v" $host.path }}
      {{- if $claim }}{{ $word = printf "claim_name=%s" $claim }}{{ end }}
      {{- with $host.type }}{{ $word = printf "%s,type=%s" $word . }}{{ end }}
      {{- $word = printf "%s,mount_path=%s" $word $mount.mountPath }}
      {{- with $mount.subPath }}{{ $word = printf "%s,sub_path=%s" $word . }}{{ end }}
      {{- $words = append $words $word }}
    {{- end }}
  {{- end }}
{{- end }}
{{- join ";" $words }}
{{- end -}}
{{- /* end bare */}}
