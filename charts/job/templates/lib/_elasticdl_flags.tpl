{{/* ElasticDL: the flags of its processes. */}}

{{/* The job's name in ElasticDL. */}}
{{- define "chartgen.elasticdlName" -}}
{{- .root.Values.elasticdl.jobName | default .root.Release.Name -}}
{{- end -}}

{{/*
Flags as a JSON list, --NAME=VALUE, for those of the names that are set. Takes (dict "said" DICT
"names" LIST).
*/}}
{{- define "chartgen.elasticdlFlags" -}}
{{- $flags := list }}
{{- range $name := .names }}
  {{- /* Kubernetes expands $(NAME), and reads $$ as $. */}}
  {{- if hasKey $.said $name }}
    {{- $flags = append $flags (printf "--%s=%s" $name (include "chartgen.text" (get $.said $name))
      | replace "$" "$$") }}
  {{- end }}
{{- end }}
{{- toJson $flags }}
{{- end -}}
{{- /* only elasticdlMaster */}}

{{/* The master's flags. prediction_data_dir has three dashes because of a typo in ElasticDL. */}}
{{- define "chartgen.elasticdlMaster" -}}
{{- $params := .root.Values.elasticdl.params }}
{{- $said := merge (dict "job_name" (include "chartgen.elasticdlName" .) "port" (int .spec.port))
  $params }}
{{- with .root.Values.tensorboard }}
  {{- $_ := set $said "tensorboard_log_dir" (printf "%s/" (trimSuffix "/" .logDir)) }}
{{- end }}
{{- with $params.prediction_data_dir }}{{ $_ := set $said "-prediction_data_dir" . }}{{ end }}
{{- $names := list "job_name" "port" "model_def" "training_data_dir" "evaluation_data_dir"
  "-prediction_data_dir" "records_per_task" "minibatch_size" "num_epochs" "grads_to_wait"
  "checkpoint_steps" "checkpoint_dir" "keep_checkpoint_max" "checkpoint_filename_for_init"
  "evaluation_steps" "evaluation_start_delay_secs" "evaluation_throttle_secs" "tensorboard_log_dir"
  "input_fn" "loss" "optimizer" "eval_metrics_fn" "model_class" "log_level" }}
{{- include "chartgen.elasticdlFlags" (dict "said" $said "names" $names) }}
{{- end -}}
{{- /* end elasticdlMaster */}}
{{- /* only elasticdlWorker */}}

{{/* The flags of a worker that is a Job. */}}
{{- define "chartgen.elasticdlWorker" -}}
{{- $master := include "chartgen.replicaName" (dict "root" .root "id" .id "role" "master" "index"
  0) }}
{{- $address := printf "%s:%s" $master (include "chartgen.port"
  (dict "root" .root "role" "master" "number" 0)) }}
{{- $said := merge (dict "worker_id" (toString .index) "master_addr" $address)
  .root.Values.elasticdl.params }}
{{- $names := list "worker_id" "master_addr" "model_def" "input_fn" "loss" "optimizer"
  "eval_metrics_fn" "model_class" "log_level" }}
{{- include "chartgen.elasticdlFlags" (dict "said" $said "names" $names) }}
{{- end -}}
{{- /* end elasticdlWorker */}}
{{- /* only elasticdlWorkers */}}

{{/* The master's flags about the workers it creates. */}}
{{- define "chartgen.elasticdlWorkers" -}}
{{- $worker := mergeOverwrite (include "chartgen.shared" .root | fromJson)
  (deepCopy .root.Values.roles.worker) }}
{{- $said := dict "num_workers" (int $worker.replicas) "namespace" .root.Release.Namespace }}
{{- $_ := set $said "worker_image" (include "chartgen.image"
  (dict "root" .root "spec" (dict "image" (required "roles.worker.image or image must be set"
  $worker.image)))) }}
{{- $resources := $worker.resources | default dict }}
{{- with include "chartgen.requests" $worker | fromJson }}
  {{- $_ := set $said "worker_resource_request" (include "chartgen.elasticdlResources" .) }}
{{- end }}
{{- with $resources.limits }}
  {{- $_ := set $said "worker_resource_limit" (include "chartgen.elasticdlResources" .) }}
{{- end }}
{{- with $worker.priorityClassName }}{{ $_ := set $said "worker_pod_priority" . }}{{ end }}
{{- with include "chartgen.elasticdlVolume" $worker }}{{ $_ := set $said "volume" . }}{{ end }}
{{- with $worker.imagePullPolicy }}{{ $_ := set $said "image_pull_policy" . }}{{ end }}
{{- with .root.Values.roles.worker.restartPolicy }}{{ $_ := set $said "restart_policy" . }}{{ end }}
{{- $names := list "num_workers" "worker_image" "worker_resource_request" "worker_resource_limit"
  "worker_pod_priority" "volume" "image_pull_policy"
  "restart_policy" "namespace" }}
{{- include "chartgen.elasticdlFlags" (dict "said" $said "names" $names) }}
{{- end -}}
{{- /* end elasticdlWorkers */}}
{{- /* only managed */}}

{{/*
Resources in ElasticDL's format, "cpu=3,memory=4096Mi". Memory is a whole number with a unit, and
only these names are known.
*/}}
{{- define "chartgen.elasticdlResources" -}}
{{- $words := list }}
{{- range $name, $quantity := . }}
  {{- $text := include "chartgen.text" $quantity }}
  {{- if eq $name "cpu" }}
    {{- if not (regexMatch "^([1-9][0-9]*m|[0-9]+(\\.[0-9]+)?)$" $text) }}
      {{- $text = include "chartgen.amount" $quantity }}
    {{- end }}
  {{- else if has $name (list "memory" "ephemeral-storage") }}
    {{- if not (regexMatch "^[1-9][0-9]*([EPTGM]i?|Ki)$" $text) }}
      {{- $text = divf (include "chartgen.amount" $quantity | float64) 1024 | ceil | int64
        | printf "%dKi" }}
    {{- end }}
  {{- else if hasSuffix "/gpu" $name }}
    {{- $text = include "chartgen.amount" $quantity | float64 | int64 | toString }}
  {{- else }}
    {{- fail (printf "roles.worker.resources: a native master cannot request %s for its workers"
      $name) }}
  {{- end }}
  {{- $words = append $words (printf "%s=%s" $name $text) }}
{{- end }}
{{- join "," $words }}
{{- end -}}
{{- /* end managed */}}
{{- /* only claim */}}

{{/* The one claim that workers can have, in ElasticDL's format; empty if there is none. */}}
{{- define "chartgen.elasticdlVolume" -}}
{{- $volumes := .volumes | default list }}{{- $mounts := .volumeMounts | default list }}
{{- if or $volumes $mounts }}
  {{- $volume := first $volumes | default dict }}{{- $mount := first $mounts | default dict }}
  {{- $claim := dig "persistentVolumeClaim" "claimName" "" $volume }}
  {{- $path := $mount.mountPath | default "" }}
  {{- if or (gt (len $volumes) 1) (gt (len $mounts) 1) (not $claim) (not $path)
    (omit $mount "name" "mountPath") (regexMatch "[=,]" $path) }}
    {{- fail (print "volumes: a native master can give its workers one claim, "
      "mounted once and as a whole, at a path without '=' or ','") }}
  {{- end }}
  {{- printf "volume_name=%s,claim_name=%s,mount_path=%s" $volume.name $claim $path }}
{{- end }}
{{- end -}}
{{- /* end claim */}}
