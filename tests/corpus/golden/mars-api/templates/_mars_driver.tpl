{{/* What it adds to the replicas of driver. */}}
{{- define "analysis.role.driver" -}}
{{- $mars := .root.Values.mars | default dict -}}
env:
  - name: MARS_ENDPOINT
    value: 'http://{{ include "analysis.replicaName" (dict "root" .root "id" .id "role" "web" "index" 0) }}:{{ include "analysis.port" (dict "root" .root "role" "web" "number" 0) }}'
waits:
  - name: wait-workers
    env:
      - name: WEB
        value: '{{ include "analysis.replicaName" (dict "root" .root "id" .id "role" "web" "index" 0) }} {{ include "analysis.port" (dict "root" .root "role" "web" "number" 0) }}'
      - {name: ASK, value: "/api/worker?action=count"}
      - name: LEAST
        valueFrom:
          configMapKeyRef:
            name: {{ include "analysis.name" (merge (dict "name" "peers") .) }}
            key: workers
      {{- if include "analysis.option" (dict "value" $mars.timeout) }}
      - name: TIMEOUT
        value: {{ include "analysis.option" (dict "value" $mars.timeout) | toJson }}
      {{- end }}
{{- end -}}
