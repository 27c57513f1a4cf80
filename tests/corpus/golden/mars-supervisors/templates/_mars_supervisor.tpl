{{/* What it adds to the replicas of supervisor. */}}
{{- define "analysis.role.supervisor" -}}
{{- $requests := include "analysis.requests" .spec | fromJson -}}
{{- $cpu := include "analysis.requested" (dict "spec" .spec "resource" "cpu" "least" 1) -}}
command: [python, "-m"]
labels: {mars/service-type: marssupervisor}
env:
  {{- if hasKey $requests "cpu" }}
  - {name: MKL_NUM_THREADS, value: {{ $cpu | quote }}}
  - {name: MARS_CPU_TOTAL, value: {{ $cpu | quote }}}
  - {name: MARS_CPU_USE_PROCESS_STAT, value: "1"}
  {{- end }}
  {{- if hasKey $requests "memory" }}
  - name: MARS_MEMORY_TOTAL
    value: {{ include "analysis.requested"
      (dict "spec" .spec "resource" "memory" "least" 1) | quote }}
  - {name: MARS_MEM_USE_PROCESS_STAT, value: "1"}
  {{- end }}
args:
  - mars.deploy.oscar.supervisor
  - "-e"
  - '{{ include "analysis.replicaName" (dict "root" .root "id" .id "role" "supervisor" "index" 0) }}:7103'
  - "-w"
  - {{ int .spec.port | quote }}
fields:
  readinessProbe:
    tcpSocket: {port: {{ int .spec.port }}}
    initialDelaySeconds: 5
    periodSeconds: 5
    timeoutSeconds: 60
    failureThreshold: 10
waits:
  - name: wait-name
    env:
      - name: NAME
        value: {{ include "analysis.replicaName"
          (dict "root" .root "id" .id "role" "supervisor" "index" 0) | quote }}
{{- end -}}
