# Is the job well? What `helm test` asks, with a line for each answer: ok, note, unsure, or FAILED and where to look.
# It needs sh, awk, sort and uniq, and asks others with what it finds: names with getent, nslookup or python3; ports and
# TensorBoard with python3 or nc; the cluster's API with python3 or wget. busybox has all it needs.
# (Kubernetes reads two dollar signs in a row as one, so there are none here.)
set -u
MOST=100 # names of a role that are asked; where there are more, it is every second, third, ...
SHOWN=3  # names in one answer
deadline=$(($(date +%s) + ${WAIT:-120}))
failed='' known='' states=''

has() { command -v "$1" >/dev/null 2>&1; }
able() { # to do something with one of these tools; say so if not
  check=$1 && shift
  for tool; do ! has "$tool" || return 0; done
  tell unsure "$check" "could not be judged: the image has none of $*"
  return 1
}
past() { [ "$(date +%s)" -ge "$deadline" ]; }
lines() { [ -z "$1" ] || printf '%s\n' "$1"; }
count() { lines "$1" | awk 'END { print NR }'; }
some() {
  lines "$1" | awk -v most="$SHOWN" 'NR <= most { printf "%s%s", comma, $1; comma = ", " }
    END { if (NR > most) printf " and %d more", NR - most }'
}
tell() { printf '%-6s  %s: %s\n' "$1" "$2" "$3"; }
fail() {
  tell FAILED "$1" "$2; see: kubectl -n $NAMESPACE $3"
  failed="$failed $1"
}

# The lines "NAME PORT" of the replicas whose roles have a property: what the values say, to compare the cluster with.
expected() {
  lines "$ROLES" | awk -v property="$1" -v most="${2:-0}" '
    $1 == "port" { for (i = $3; i <= $4; i++) own[$2 i] = $5 }
    $1 == "role" && index($5, property) { name[++roles] = $2; size[roles] = $3; port[roles] = $4 }
    END {
      for (r = 1; r <= roles; r++) {
        step = most ? int((size[r] + most - 1) / most) : 1
        for (i = 0; i < size[r]; i += step) print name[r] i, (name[r] i in own) ? own[name[r] i] : port[r]
      }
    }'
}

# nslookup fails if any domain of the search path lacks the name, so its words count and not its exit code.
resolves() {
  if has getent; then getent hosts "$1"
  elif has nslookup; then nslookup "$1" | grep '^Name:'
  else python3 -c 'import socket, sys; socket.getaddrinfo(sys.argv[1], None)' "$1"
  fi >/dev/null 2>&1
}

# Small builds of nc know no -z, others know no -e.
listens() {
  if has python3; then python3 -c 'import socket, sys; socket.create_connection(sys.argv[1:], 3)' "$1" "$2"
  else nc -z -w 3 "$1" "$2" || nc -w 3 "$1" "$2" -e true
  fi >/dev/null 2>&1
}

# With nc and not with wget, static builds of which crash on names.
answers() {
  if has python3; then python3 -c 'import sys, urllib.request as web; web.urlopen(sys.argv[1], None, 5)' "http://$1:$2/"
  else printf 'GET / HTTP/1.0\r\nHost: %s\r\n\r\n' "$1" | timeout 5 nc -w 3 "$1" "$2" | head -n 1 | grep ' [23]..'
  fi >/dev/null 2>&1
}

# The job's objects of a kind, as the table that kubectl prints, which is short whatever is in them. busybox's wget does
# not check who answers; the token it shows lasts ten minutes, and can do nothing but list such objects here.
ask() {
  host=$KUBERNETES_SERVICE_HOST
  case $host in *:*) host="[$host]" ;; esac
  path="$1/namespaces/$NAMESPACE/$2?includeObject=None&pretty=false&labelSelector=$SELECTOR${3:-}"
  url="https://$host:$KUBERNETES_SERVICE_PORT/$path"
  set -- 'Accept: application/json;as=Table;v=v1;g=meta.k8s.io' "Authorization: Bearer $(cat "$SECRETS/token")"
  if has python3; then
    python3 -c '
import ssl, sys, urllib.request as web
url, ca, *headers = sys.argv[1:]
request = web.Request(url, headers=dict(header.split(": ", 1) for header in headers))
print(web.urlopen(request, timeout=10, context=ssl.create_default_context(cafile=ca)).read().decode())' \
      "$url" "$SECRETS/ca.crt" "$@"
  else
    set -- -q -T 10 -O - --header "$1" --header "$2" "$url"
    wget "$@" || wget --no-check-certificate "$@"
  fi 2>/dev/null
}

# The words of that table, a line for each row, with tabs between.
rows() {
  awk -v RS='{' 'match($0, /"cells": *\[[^]]*\]/) {
    cells = split(substr($0, RSTART, RLENGTH), cell, "\"")
    row = cell[4]
    for (i = 6; i <= cells; i += 2) row = row "\t" cell[i]
    print row
  }'
}

# Jobs as lines "NAME STATE". Before Kubernetes 1.31 no column is for the state, but one is like 1/1.
job_states() {
  rows | awk -F '\t' '{
    state = "open"
    for (i = 2; i <= NF; i++) {
      if ($i == "Failed" || $i == "Suspended") state = $i
      if (split($i, part, "/") == 2 && part[1] ~ /^[0-9]+$/ && part[1] == part[2]) state = "Complete"
    }
    print $1, state
  }'
}

look() {
  answer=$([ -z "$SECRETS" ] || ask apis/batch/v1 jobs)
  case $answer in *'"rows"'*) known=yes states=$(printf '%s' "$answer" | job_states) ;; esac
}

# Of the lines "NAME ..." on stdin, those whose Jobs are in one of the states; a name without a Job is "gone".
in_state() {
  { lines "$states" && echo && cat; } | awk -v wanted="$1" '
    !NF { all = 1; next }
    !all { state[$1] = $2; next }
    index(wanted, $1 in state ? state[$1] : "gone")'
}
# All replicas of a role decide how the job ends, or one alone does.
deciding() { if [ -n "$(expected decides 1)" ]; then expected decides; else echo "$DECIDES"; fi; }
ended() { [ -n "$known" ] && [ -n "$(deciding)" ] && [ -z "$(deciding | in_state 'open Failed Suspended gone')" ]; }
# Whether peers must be there. If the API cannot be asked, the replica that decides must be seen to run; that its name
# resolves says nothing, for that of a pod that has ended does so, too, until the pod is removed.
owed() {
  [ -z "$known" ] || return 0
  address=$(expected service | awk -v name="$DECIDES" '$1 == name')
  [ -n "$address" ] && listens $address
}
running() { if [ -n "$known" ]; then in_state open; else cat; fi; }

# Of the lines "NAME PORT" on stdin, those for which the answer is no; enough of them to tell once time is up.
refusing() {
  refused=0
  while read -r name port; do
    "$1" "$name" "$port" && continue
    echo "$name $port"
    refused=$((refused + 1))
    [ "$refused" -le "$SHOWN" ] || ! past || break
  done
}

# Ask again and again while some say no, there is time, and the job has not ended; `rest` is who still does.
patiently() {
  rest=$2
  while
    rest=$(lines "$rest" | running | refusing "$1")
    [ -n "$rest" ] && ! past && ! ended
  do
    sleep 2
    look
  done
}

config() {
  lost=$(for key in $CONFIG; do [ -e "$FILES/$key" ] || echo "$key"; done)
  if [ -n "$lost" ]; then fail config "not there: $(some "$lost")" "get configmaps"
  else tell ok config "what the replicas read from ConfigMaps is there"
  fi
}

peers() {
  odd=$({ expected listed; awk NF "$FILES/$HOSTS" 2>/dev/null; } | sort | uniq -c | awk '$1 != 2 { print $2 ":" $3 }')
  if [ -n "$odd" ]; then
    fail peers "only in the values, or only in the list of peers: $(some "$odd")" "get configmap ${HOSTS%/*} -o yaml"
  else tell ok peers "the list of peers is what the values say"
  fi
}

results() {
  bad=$(expected job | in_state 'Failed gone') who=$(deciding) verb='decides, is'
  [ "$(count "$who")" -eq 1 ] || verb='decide, are'
  if [ -z "$SECRETS" ]; then tell unsure jobs "how they stand could not be judged: rbac.create is false"
  elif [ -z "$known" ]; then tell unsure jobs "how they stand could not be judged: the image's tools cannot ask the API"
  elif ended; then tell ok jobs "$(some "$who"), which $verb complete; peers may be gone, so they are not asked"
  elif [ -n "$bad" ]; then fail jobs "failed or gone: $(some "$bad")" "describe job ${bad%% *}"
  else tell ok jobs "$(count "$(expected job)") are there, and none has failed"
  fi
}

names() {
  if [ -z "$rest" ]; then tell ok names "$(count "$all") resolve"
  elif ! owed; then
    tell unsure names "not to be resolved, for the job has ended or has not started: $(some "$rest")"
  else fail names "not to be resolved: $(some "$rest")" "describe job ${rest%% *}"
  fi
}

# Whoever runs what the chart ships has to listen; for others it is their program that decides whether they do.
ports() {
  patiently listens "$(expected serves "$MOST")"
  silent=$(expected service "$MOST" | running | refusing listens)
  if ended; then return
  elif [ -n "$rest" ] && ! owed; then
    tell unsure ports "not listening, for the job has ended or has not started: $(some "$rest")"
  elif [ -n "$rest" ]; then fail ports "not listening on port ${rest##* }: $(some "$rest")" "logs job/${rest%% *}"
  elif [ -n "$silent" ]; then
    tell note ports "not listening, which is fine while a program starts or if it never does: $(some "$silent")"
  else tell ok ports "all replicas listen"
  fi
}

# The replicas of which a pod waits, or fails and starts again, as lines "NAME WHY": nobody else misses one that has no name.
pending() {
  { expected job && echo && printf '%s' "$answer" | rows; } | awk -F '\t' '
    !NF { all = 1; next }
    !all { sub(/ .*/, ""); ours[$0] = 1; next }
    $3 !~ /^(Running|Completed|Terminating)$/ && sub(/-[^-]*$/, "", $1) && $1 in ours && !told[$1]++ { print $1, $3 }'
}
# Of these, who asks for a device and has no node (1), or all others (0).
lacking() {
  { expected device && echo && lines "$rest"; } | awk -v lacks="$1" '
    !NF { all = 1; next }
    !all { asks[$1] = 1; next }
    ($1 in asks && $2 == "Pending") == lacks'
}

pods() {
  while
    answer=$([ -z "$SECRETS" ] || ask api/v1 pods '&fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed')
    rest=$(pending)
    [ -n "$rest" ] && ! past && ! ended
  do
    sleep 2
    look
  done
  ! ended || return 0
  case $answer in
    *'"rows"'*) ;;
    *) tell unsure pods "whether they run could not be judged: the API cannot be asked" && return ;;
  esac
  bare=$(lacking 1) others=$(lacking 0)
  if [ -n "$bare" ]; then
    fail devices "no node takes who asks for $DEVICES: $(some "$bare")" "describe pods -l job-name=${bare%% *}"
  elif [ -n "${DEVICES:-}" ]; then tell ok devices "who asks for $DEVICES has a node"
  fi
  if [ -n "$others" ]; then
    why=$(lines "$others" | awk 'NR == 1 { print $2 }')
    fail pods "not running: $(some "$others"), for $why" "describe pods -l job-name=${others%% *}"
  elif [ -z "$rest" ]; then tell ok pods "none waits or fails"
  fi
}

tensorboard() {
  until answers "$1" "$2"; do
    if past; then fail tensorboard "no answer from http://$1:$2/" "logs deployment/$1" && return; fi
    sleep 2
  done
  tell ok tensorboard "http://$1:$2/ answers"
}

for pause in 1 2 3; do # the API server may not know yet what the test is allowed
  look
  [ -n "$SECRETS" ] && [ -z "$known" ] || break
  sleep "$pause"
done
[ -z "$CONFIG" ] || config
[ -z "$HOSTS" ] || peers
rest=''
all=$(expected service "$MOST" | running)
if [ -n "$all" ] && able names getent nslookup python3; then
  patiently resolves "$all"
  results
  ended || names
  [ -n "$rest" ] || ended || ! able ports python3 nc || ports
else results
fi
ended || pods
[ -z "$TENSORBOARD" ] || ! able tensorboard python3 nc || tensorboard $TENSORBOARD
[ -z "$failed" ] || echo "failed:$failed"
[ -z "$failed" ]
