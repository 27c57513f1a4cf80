{{/* What MPI adds to this job: YAML with holes that Helm fills in. First, the facts. */}}
{{- define "allreduce.plan" -}}
framework: MPI
decides: {role: launcher, all: false}
peersHint: ""
roles:
  launcher: {container: mpi, portName: mpi-port, replicas: 1, service: true}
  worker: {container: mpi, portName: ssh, replicas: 3, service: true, starts: true, serves: true}
hosts: {config: mpi, roles: [worker]}
{{- end -}}

{{/* The ConfigMaps that replicas share. */}}
{{- define "allreduce.configs" -}}
{{- $mpi := .root.Values.mpi | default dict -}}
- name: mpi
  data:
    hosts: {{ include "allreduce.peers" (list . "lines" "worker") | toJson }}
    {{- if eq (toString $mpi.runLauncherAsWorker) "true" }}
    hostfile: {{ printf "%v\n" (include "allreduce.peerList"
      (merge (dict "roles" (list "launcher" "worker") "item" "{host} slots={devices}"
        "between" "\n" "unless" $mpi.slots) .)) | toJson }}
    {{- else }}
    hostfile: {{ printf "%v\n" (include "allreduce.peerList"
      (merge (dict "roles" (list "worker") "item" "{host} slots={devices}"
        "between" "\n" "unless" $mpi.slots) .)) | toJson }}
    {{- end }}
    keys.sh: {{ .root.Files.Get "files/mpi_keys.sh" | toJson }}
    ssh.sh: {{ .root.Files.Get "files/mpi_ssh.sh" | toJson }}
    sshd.sh: {{ .root.Files.Get "files/mpi_sshd.sh" | toJson }}
    discover_hosts.sh: {{ .root.Files.Get "files/mpi_discover_hosts.sh" | toJson }}
{{- end -}}

{{/* The Secret with ssh keys, if it is brought. */}}
{{- define "allreduce.broughtKeys" -}}
{{- $mpi := .root.Values.mpi | default dict -}}
{{ include "allreduce.option" (dict "value" $mpi.sshSecret) }}
{{- end -}}

{{/* MPI needs none of these. */}}
{{- define "allreduce.tensorboardLabels" -}}{}{{- end -}}
