{{/* What it adds to the replicas of launcher. */}}
{{- define "allreduce.role.launcher" -}}
{{- $mpi := .root.Values.mpi | default dict -}}
env:
  - {name: OMPI_MCA_orte_keep_fqdn_hostnames, value: "true"}
  - {name: OMPI_MCA_orte_default_hostfile, value: /etc/mpi/hostfile}
  - {name: OMPI_MCA_plm_rsh_agent, value: /etc/mpi/ssh.sh}
  - {name: OMPI_MCA_plm_rsh_args, value: "-o ConnectionAttempts=10"}
  - name: OMPI_MCA_orte_set_default_slots
    value: {{ include "allreduce.roleDevices"
      (merge (dict "role" "worker" "unless" $mpi.slots) .) | quote }}
  - {name: PRTE_MCA_prte_default_hostfile, value: /etc/mpi/hostfile}
  - {name: PRTE_MCA_plm_ssh_agent, value: /etc/mpi/ssh.sh}
  - {name: PRTE_MCA_plm_ssh_args, value: "-o ConnectionAttempts=10"}
  - {name: OMPI_ALLOW_RUN_AS_ROOT, value: "1"}
  - {name: OMPI_ALLOW_RUN_AS_ROOT_CONFIRM, value: "1"}
  - name: MPI_NP
    {{- if eq (toString $mpi.runLauncherAsWorker) "true" }}
    value: {{ include "allreduce.deviceTotal"
      (merge (dict "roles" (list "launcher" "worker") "unless" $mpi.slots) .) | quote }}
    {{- else }}
    value: {{ include "allreduce.deviceTotal"
      (merge (dict "roles" (list "worker") "unless" $mpi.slots) .) | quote }}
    {{- end }}
  - {name: K_MPI_JOB_ROLE, value: launcher}
  - {name: HOROVOD_CONTROLLER, value: mpi}
  - {name: HOROVOD_CPU_OPERATIONS, value: mpi}
pod:
  {{- with include "allreduce.replicaName" (merge (dict "role" "launcher") .) }}
  hostname: {{ toJson (toString .) }}
  {{- end }}
volumes:
  - {name: chartgen-mpi, configMap: {name: {{ include "allreduce.name"
    (merge (dict "name" "mpi") .) }}, defaultMode: 365}}
  - name: chartgen-keys
    secret:
      {{- with include "allreduce.keySecret" . }}
      secretName: {{ toJson (toString .) }}
      {{- end }}
      defaultMode: 292
      items:
        - {key: ssh-privatekey, path: ssh-privatekey}
  - name: chartgen-run
    emptyDir: {medium: Memory, sizeLimit: "16Mi"}
  {{- if include "allreduce.option" (dict "value" $mpi.sshAuthMountPath) }}
  - name: chartgen-ssh
    secret:
      {{- with include "allreduce.keySecret" . }}
      secretName: {{ toJson (toString .) }}
      {{- end }}
      {{- if eq (toString $mpi.sshAuthMountPath) "/root/.ssh" }}
      defaultMode: 384
      {{- end }}
      items:
        - {key: ssh-privatekey, path: id_rsa}
        - {key: ssh-publickey, path: id_rsa.pub}
        - {key: ssh-publickey, path: authorized_keys}
  {{- end }}
volumeMounts:
  - {name: chartgen-mpi, mountPath: /etc/mpi}
  - {name: chartgen-keys, mountPath: /etc/mpi-keys}
  - {name: chartgen-run, mountPath: /run/mpi}
  {{- if include "allreduce.option" (dict "value" $mpi.sshAuthMountPath) }}
  - {name: chartgen-ssh, mountPath: {{ include "allreduce.option"
    (dict "value" $mpi.sshAuthMountPath) | toJson }}}
  {{- end }}
waits:
  - name: wait-workers
    hosts: /etc/mpi/hosts
    volumeMounts: [{name: chartgen-mpi, mountPath: /etc/mpi}]
{{- end -}}
