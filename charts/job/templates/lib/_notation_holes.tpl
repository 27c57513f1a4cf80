{{/* What the holes in texts of the job stand for. */}}

{{/* What a hole becomes. Takes the dict of chartgen.fill with "hole", "words" and "before". */}}
{{- define "chartgen.hole" -}}
{{- $name := first .words | default "" }}{{- $words := rest (append .words "") | initial }}
{{- $own := dict "index" .index "rank" .rank "first" .first "role" .role }}
{{- $facts := dict "id" .id "job" .root.Chart.Name "release" .root.Release.Name "namespace"
  .root.Release.Namespace }}
{{- $known := concat (keys $own) (keys $facts) (list "count" "devices" "host" "port" "peers") }}
{{- $where := printf "%s: %s" .who .hole }}
{{- if eq .hole "%{" }}
  {{- fail (printf "%s is not closed; expected %%{NAME}, or %%%%{ for a %%{ that stays" $where) }}
{{- else if not (has $name $known) }}
  {{- fail (printf "%s: there is no value %s; expected one of %s, or %%%%{ for a %%{ that stays"
    $where (toJson $name) (sortAlpha $known | join ", ")) }}
{{- end }}
{{- $context := merge (dict "rest" $words "where" $where) . }}
{{- if hasKey $facts $name }}{{ include "chartgen.noWords" $context }}{{ get $facts $name }}
{{- else if hasKey $own $name }}
  {{- include "chartgen.noWords" $context }}{{ include "chartgen.ownRole" $context }}
  {{- get $own $name }}
{{- else if eq $name "count" }}{{ include "chartgen.holeCount" $context }}
{{- else if eq $name "peers" }}{{ include "chartgen.holePeers" $context }}
{{- else }}{{ include "chartgen.holeReplica" (merge (dict "name" $name) $context) }}
{{- end }}
{{- end -}}

{{- define "chartgen.noWords" -}}
{{- if .rest }}{{ fail (printf "%s: expected nothing after the name" .where) }}{{ end }}
{{- end -}}

{{/* Refuses what only a replica has, where there is none. */}}
{{- define "chartgen.ownRole" -}}
{{- if not .role }}
  {{- fail (printf "%s differs between replicas, and all have this file; name a role" .where) }}
{{- end }}
{{- end -}}

{{/*
Refuses a role that the job does not have, or that has no name but has to: "listens". Takes (dict
"root" $ "where" WHERE "role" ROLE).
*/}}
{{- define "chartgen.knownRole" -}}
{{- if not (hasKey .root.Values.roles .role) }}
  {{- fail (printf "%s: there is no role %s; expected %s" .where .role
    (keys .root.Values.roles | sortAlpha | join ", ")) }}
{{- end }}
{{- if and .listens (not (get .root.Values.roles .role).port) }}
  {{- fail (printf "%s: roles.%s has no port, and so no Service and no name" .where .role) }}
{{- end }}
{{- end -}}

{{/* %{count ROLE... * FACTOR...}: a sum of replicas, times numbers or the replica's devices. */}}
{{- define "chartgen.holeCount" -}}
{{- $roles := list }}{{- $factor := 1 }}{{- $devices := 0 }}{{- $times := false }}
{{- if eq (last .rest | default "") "*" }}
  {{- fail (printf "%s: expected a number or devices after *" .where) }}
{{- end }}
{{- range .rest }}
  {{- if eq . "*" }}{{ $times = true }}
  {{- else if not $times }}
    {{- include "chartgen.knownRole" (dict "root" $.root "where" $.where "role" .) }}
    {{- $roles = append $roles . }}
  {{- else if eq . "devices" }}
    {{- include "chartgen.ownRole" $ }}
    {{- if $devices }}{{ fail (printf "%s: expected devices once after *" $.where) }}{{ end }}
    {{- $devices = include "chartgen.deviceCount" (dict "spec" $.spec) | int }}
  {{- else if regexMatch "^(0|[1-9][0-9]{0,5})$" . }}
    {{- $factor = int . | mul $factor }}
    {{- if gt (int $factor) 999999 }}
      {{- fail (printf "%s: expected at most 999999 after *" $.where) }}
    {{- end }}
  {{- else }}{{ fail (printf "%s: expected a number or devices after *" $.where) }}
  {{- end }}
{{- end }}
{{- if not $roles }}{{ include "chartgen.ownRole" . }}{{ $roles = list .role }}{{ end }}
{{- include "chartgen.replicaTotal" (dict "root" .root "roles" $roles) | int
  | mul $factor ($devices | default 1) }}
{{- end -}}

{{/* %{host ROLE INDEX}, %{port ROLE INDEX}, %{devices ROLE}; the replica's own without a role. */}}
{{- define "chartgen.holeReplica" -}}
{{- if not .rest }}{{ include "chartgen.ownRole" . }}{{ end }}
{{- $role := first .rest | default .role }}
{{- $number := rest (append .rest "") | first | default "0" }}
{{- include "chartgen.knownRole" (dict "root" .root "where" .where "role" $role "listens"
  (ne .name "devices")) }}
{{- if or (gt (len .rest) (eq .name "devices" | ternary 1 2))
  (not (regexMatch "^(0|[1-9][0-9]{0,5})$" $number)) }}
  {{- fail (printf "%s: expected a role, optionally followed by an index" .where) }}
{{- end }}
{{- $index := empty .rest | ternary .index $number }}
{{- if eq .name "devices" }}
  {{- if .rest }}{{ include "chartgen.roleDevices" (dict "root" .root "role" $role "id" .id) }}
  {{- else }}{{ include "chartgen.deviceCount" (dict "spec" .spec) }}
  {{- end }}
{{- else if eq .name "host" }}
  {{- include "chartgen.replicaName" (dict "root" .root "id" .id "role" $role "index" $index) }}
{{- else if not .rest }}{{ int .spec.port }}
{{- else }}{{ include "chartgen.port" (dict "root" .root "role" $role "number" $number) }}
{{- end }}
{{- end -}}

{{/* %{peers ROLE... "ITEM" "SEPARATOR"}; by default {host}:{port} and a comma. */}}
{{- define "chartgen.holePeers" -}}
{{- $roles := list }}{{- $texts := list }}
{{- range .rest }}
  {{- if hasPrefix "'" . }}{{ $texts = append $texts (trimAll "'" .) }}
  {{- else if hasPrefix "\"" . }}
    {{- if regexMatch `\\[^nt"\\]` (replace `\\` "" .) }}
      {{- fail (printf "%s: in %s, expected \\n, \\t, \\\" or \\\\ after a backslash" $.where .) }}
    {{- end }}
    {{- /* JSON has no control characters, and fromJsonArray gives its complaint as the item. */}}
    {{- $texts = append $texts (replace "\n" `\n` . | replace "\t" `\t` | replace "\r" `\r`
      | printf "[%s]" | fromJsonArray | first) }}
  {{- else }}{{ $roles = append $roles . }}
  {{- end }}
{{- end }}
{{- if or (not $roles) (gt (len $texts) 2) }}
  {{- fail (printf "%s: expected roles, and then an item and a separator in quotes" .where) }}
{{- end }}
{{- $item := first $texts | default "{host}:{port}" }}
{{- range $roles }}
  {{- include "chartgen.knownRole" (dict "root" $.root "where" $.where "role" . "listens"
    (or (contains "{host}" $item) (contains "{port}" $item))) }}
{{- end }}
{{- $list := dict "roles" $roles "item" $item "between" (gt (len $texts) 1 | ternary (last $texts)
  ",") }}
{{- if .role }}
  {{- $key := toJson $list | sha256sum | trunc 8 | printf "list-%s" }}
  {{- $_ := set .used $key $list }}
  {{- /* Kubernetes takes $$ for an escaped $, so one before the reference is doubled. */}}
  {{- mod (regexFind `\$*$` .before | len) 2 | empty | ternary "" "$" }}
  {{- include "chartgen.listVariable" $key | printf "$(%s)" }}
{{- else }}{{ include "chartgen.peerList" (merge $list .) }}
{{- end }}
{{- end -}}
