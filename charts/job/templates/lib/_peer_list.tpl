{{/* Lists of replicas in a form of their own, such as the hostfile of a launcher. */}}

{{/*
A text for every replica of some roles. {host}, {port}, {index}, {role} and {devices} in the item
are the replica's own; instead of {devices} there is what the option "unless" says, if it is set.
Takes (dict "root" $ "id" ID "roles" LIST "item" TEXT "between" TEXT); with "brief", it is
only what the list depends on, which is enough for a hash.
*/}}
{{- define "chartgen.peerList" -}}
{{- $lists := list }}
{{- range $role := .roles }}
  {{- if include "chartgen.count" (dict "root" $.root "role" $role) | int }}
    {{- $lists = append $lists (include "chartgen.rolePeerList" (merge (dict "role" $role) $)) }}
  {{- end }}
{{- end }}
{{- join .between $lists }}
{{- end -}}

{{/* The part of one role. Overrides may change the port and the devices of a replica. */}}
{{- define "chartgen.rolePeerList" -}}
{{- $role := get .root.Values.roles .role }}
{{- $keys := include "chartgen.overrideKeys" . | fromJson }}
{{- $texts := dict }}
{{- range $key := prepend (values $keys | uniq) "" }}
  {{- $own := dict }}{{- if $key }}{{ $own = get $role.overrides $key }}{{ end }}
  {{- $text := $.item | replace "{role}" $.role | replace "{port}"
    ($own.port | default $role.port | int | toString) }}
  {{- if contains "{devices}" $text }}
    {{- $text = replace "{devices}" (include "chartgen.roleDevices" (merge (dict "key" $key) $))
      $text }}
  {{- end }}
  {{- $_ := set $texts $key $text }}
{{- end }}
{{- if .brief }}{{ list (include "chartgen.count" .) .between $texts $keys | toJson }}
{{- else }}
{{- $host := include "chartgen.replicaName" (merge (dict "index" "{index}") .) }}
{{- range $key, $text := $texts }}
  {{- $_ := replace "{host}" $host $text | splitList "{index}" | set $texts $key }}
{{- end }}
{{- range $index := until (int $role.replicas) }}
  {{- if $index }}{{ $.between }}{{ end }}
  {{- get $texts (get $keys (toString $index)) | join (toString $index) }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
How many devices the replicas of a role request, at least 1, unless an option says something else.
Takes (dict "root" $ "role" ROLE "id" ID); "key" is that of an override.
*/}}
{{- define "chartgen.roleDevices" -}}
{{- $role := get .root.Values.roles .role }}
{{- $spec := mergeOverwrite (include "chartgen.shared" .root | fromJson)
  (deepCopy (omit $role "overrides")) }}
{{- if .key }}{{ $spec = mergeOverwrite $spec (get $role.overrides .key | deepCopy) }}{{ end }}
{{- /* only clouds */}}
{{- $cloud := include "chartgen.cloud" .root | fromJson }}
{{- $_ := include "chartgen.request" (dict "root" .root "cloud" $cloud "who"
  (printf "roles.%s" .role) "spec" $spec "id" .id) }}
{{- /* end clouds */}}
{{- include "chartgen.deviceCount" (dict "spec" $spec "unless" .unless) }}
{{- end -}}
{{- /* only deviceTotal */}}

{{/*
How many devices all replicas of some roles request, each at least 1. Takes (dict "root" $ "id" ID
"roles" LIST "unless" OPTION).
*/}}
{{- define "chartgen.deviceTotal" -}}
{{- $total := 0 }}
{{- range merge (dict "item" "{devices}" "between" " ") . | include "chartgen.peerList"
  | splitList " " }}
  {{- $total = int . | add $total }}
{{- end }}
{{- $total }}
{{- end -}}
{{- /* end deviceTotal */}}
