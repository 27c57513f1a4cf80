{{/* The pod that cleans up once the replicas that decide have ended. */}}

{{- define "chartgen.cleanupPod" -}}
{{- /* only many */}}
{{- $decides := .root.Job.plan.decides -}}
{{- $count := or $decides.all $decides.any | empty | ternary "1" (include "chartgen.count"
  (merge (dict "role" $decides.role) .)) -}}
{{- /* end many */}}
metadata:
  labels:
    {{- include "chartgen.selectorLabels" . | nindent 4 }}
    app.kubernetes.io/component: cleanup
spec:
  restartPolicy: OnFailure
  enableServiceLinks: false
  serviceAccountName: {{ .account | toJson }}
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets: {{ toJson . }}
  {{- end }}
  volumes:
    - name: cleanup
      configMap: {name: {{ include "chartgen.name" . }}}
  containers:
    - name: cleanup
      {{- $own := kindIs "map" .root.Values.cleanup | ternary .root.Values.cleanup dict }}
      {{- dict "root" .root "image" $own.image "where" "cleanup.image" "default" "none"
        | include "chartgen.helperImage" | nindent 6 }}
      command: [/bin/sh, -c]
      {{- $run := "then exec $python /cleanup/cleanup.py" }}
{{- /* only any */}}
      {{- if $decides.any }}{{ $run = "then exec $python /cleanup/any.py" }}{{ end }}
{{- /* end any */}}
      {{- $failed := "nothing will be released when the job has ended" }}
      args:
        - |
          for python in python3 python; do if command -v $python >/dev/null; {{ $run }}; fi; done
          echo '{{ $failed }}: there is no Python in this image; set cleanup.image or helperImage'
      env:
        - {name: POLICY, value: {{ include "chartgen.cleansUp" .root }}}
        {{- $serving := list }}
        {{- range $name, $role := .root.Job.plan.roles }}
          {{- if $role.serves }}{{ $serving = append $serving $name }}{{ end }}
        {{- end }}
        - {name: SERVES, value: {{ sortAlpha $serving | join " " | quote }}}
        - {name: NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
        - {name: DECIDES, value: {{ include "chartgen.deciding" . | quote }}}
{{- /* only many */}}
        - {name: COUNT, value: {{ $count | quote }}}
{{- /* end many */}}
{{- /* without many */}}
        - {name: COUNT, value: "1"}
{{- /* end many */}}
        - {name: SELECTOR, value: "{{ include "chartgen.selector" . }},chartgen/role"}
      resources:
        {{- include "chartgen.cleanupResources" . | nindent 8 }}
      volumeMounts:
        - {name: cleanup, mountPath: /cleanup, readOnly: true}
{{- end -}}

{{- define "chartgen.cleanupResources" -}}
requests: {cpu: 10m, memory: 32Mi, ephemeral-storage: 1Mi}
limits: {cpu: 500m, memory: 128Mi, ephemeral-storage: 64Mi}
{{- end -}}

{{/*
The name of the Job, cut to leave room for its hash. Takes (dict "root" $ "id" ID "hash" HASH).
*/}}
{{- define "chartgen.cleanupJobName" -}}
{{- printf "%s-%s" (include "chartgen.name" (merge (dict "name" "cleanup") .) | trunc 54
  | trimSuffix "-") .hash -}}
{{- end -}}
