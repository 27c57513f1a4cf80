{{/* What it adds to the replicas of worker. */}}
{{- define "allreduce.role.worker" -}}
{{- $mpi := .root.Values.mpi | default dict -}}
{{- if not (or (hasKey .spec "command") (hasKey .spec "args")) }}
command: [/bin/sh, /etc/mpi/sshd.sh]
{{- end }}
env:
  - {name: MPI_SSH_PORT, value: {{ int .spec.port | quote }}}
  - {name: K_MPI_JOB_ROLE, value: worker}
  - {name: HOROVOD_CONTROLLER, value: mpi}
  - {name: HOROVOD_CPU_OPERATIONS, value: mpi}
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
{{- end -}}
