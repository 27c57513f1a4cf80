{{/* What MPI adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "pi.plan" -}}
framework: MPI
decides: {role: launcher, all: false}
peersHint: ""
roles:
  launcher: {container: mpi, portName: mpi-port, replicas: 1, service: true}
  worker: {container: mpi, replicas: 2, starts: true, serves: true}
hosts: {config: mpi, roles: [launcher]}
{{- end -}}

{{/* What it adds to the replicas of launcher. */}}
{{- define "pi.role.launcher" -}}
{{- $mpi := .root.Values.mpi | default dict -}}
env:
  - {name: HYDRA_HOST_FILE, value: /etc/mpi/hostfile}
  - {name: HYDRA_LAUNCHER, value: manual}
  - {name: MPIEXEC_PORT_RANGE, value: '{{ int .spec.port }}:{{ int .spec.port }}'}
  - name: MPI_NP
    value: {{ include "pi.deviceTotal"
      (merge (dict "roles" (list "worker") "unless" $mpi.slots) .) | quote }}
  - {name: MPIR_CVAR_CH4_CMA_ENABLE, value: "0"}
  - {name: UCX_POSIX_USE_PROC_LINK, value: "n"}
  - {name: NVIDIA_VISIBLE_DEVICES, value: ""}
  - {name: NVIDIA_DRIVER_CAPABILITIES, value: ""}
  - {name: K_MPI_JOB_ROLE, value: launcher}
  - {name: HOROVOD_CONTROLLER, value: mpi}
  - {name: HOROVOD_CPU_OPERATIONS, value: mpi}
pod:
  {{- with include "pi.replicaName" (merge (dict "role" "launcher") .) }}
  hostname: {{ toJson (toString .) }}
  {{- end }}
volumes:
  - {name: chartgen-mpi, configMap: {name: {{ include "pi.name"
    (merge (dict "name" "mpi") .) }}, defaultMode: 365}}
volumeMounts: [{name: chartgen-mpi, mountPath: /etc/mpi}]
{{- end -}}

{{/* What it adds to the replicas of worker. */}}
{{- define "pi.role.worker" -}}
{{- if not (or (hasKey .spec "command") (hasKey .spec "args")) }}
command: [/bin/sh, /etc/mpi/proxy.sh]
{{- end }}
env:
  - name: MPI_LAUNCHER
    value: '{{ include "pi.replicaName" (dict "root" .root "id" .id "role" "launcher" "index" 0) }}:{{ include "pi.port" (dict "root" .root "role" "launcher" "number" 0) }}'
  - {name: MPI_PROXY_ID, value: {{ .index | quote }}}
  - {name: K_MPI_JOB_ROLE, value: worker}
  - {name: HOROVOD_CONTROLLER, value: mpi}
  - {name: HOROVOD_CPU_OPERATIONS, value: mpi}
volumes:
  - {name: chartgen-mpi, configMap: {name: {{ include "pi.name"
    (merge (dict "name" "mpi") .) }}, defaultMode: 365}}
volumeMounts: [{name: chartgen-mpi, mountPath: /etc/mpi}]
{{- end -}}

{{/* The ConfigMaps that replicas share. */}}
{{- define "pi.configs" -}}
{{- $mpi := .root.Values.mpi | default dict -}}
- name: mpi
  data:
    hosts: {{ include "pi.peers" (list . "lines" "launcher") | toJson }}
    hostfile: {{ printf "%v\n" (include "pi.peerList"
      (merge (dict "roles" (list "worker") "item" "{host}:{devices}"
        "between" "\n" "unless" $mpi.slots) .)) | toJson }}
    proxy.sh: {{ .root.Files.Get "files/mpi_proxy.sh" | toJson }}
{{- end -}}

{{/* MPI needs none of these. */}}
{{- define "pi.tensorboardLabels" -}}{}{{- end -}}
