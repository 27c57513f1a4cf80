# Is the job healthy? `helm test` prints a line per check: ok, note, unsure, or FAILED and why.
# It needs sh, awk, sort and uniq, and uses the tools it finds: getent, nslookup or python3 for
# names; python3 or nc for ports and TensorBoard; python3 or curl for the cluster's API (not wget of
# busybox, which does not verify the server).
# (Kubernetes turns two dollar signs in a row into one, so there are none here.)
set -u
# How many names of a role are checked (of more, every second, third, ...), and are in one line.
MOST=100
SHOWN=3
TABLE='application/json;as=Table;v=v1;g=meta.k8s.io'
deadline=$(($(date +%s) + ${WAIT:-120}))
failed='' known='' states=''
blind='could not be checked: the API cannot be queried'
early='the job may have ended or not have started'

has() { command -v "$1" >/dev/null 2>&1; }
# Whether the image has one of these tools; reports it if not.
able() {
  check=$1 && shift
  for tool; do ! has "$tool" || return 0; done
  tell unsure "$check" "could not be checked: the image has none of $*"
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

# The lines "NAME PORT" of the replicas whose roles have a property, and not another one.
expected() {
  lines "$ROLES" | awk -v property="$1" -v most="${2:-0}" -v but="${3:-none}" '
    $1 == "port" { for (i = $3; i <= $4; i++) own[$2 i] = $5 }
    $1 == "role" && index($5, property) && !index($5, but) {
      name[++roles] = $2; size[roles] = $3; port[roles] = $4
    }
    END {
      for (r = 1; r <= roles; r++) {
        step = most ? int((size[r] + most - 1) / most) : 1
        for (i = 0; i < size[r]; i += step) {
          replica = name[r] i
          print replica, (replica in own) ? own[replica] : port[r]
        }
      }
    }'
}

# A statement of Python, after the modules that it needs (all take 50 ms), with arguments.
python() {
  code="import sys, $1; a = sys.argv[1:]; $2" && shift 2
  python3 -c "$code" "$@"
}
# nslookup fails if any domain of the search path lacks the name, so its exit code says nothing.
resolves() {
  if has getent; then getent hosts "$1"
  elif has nslookup; then nslookup "$1" | grep '^Name:'
  else python socket 'socket.getaddrinfo(*a, None)' "$1"
  fi >/dev/null 2>&1
}
# Small builds of nc have no -z, others have no -e.
listens() {
  if has python3; then python socket 'socket.create_connection(a, 3)' "$1" "$2"
  else nc -z -w 3 "$1" "$2" || nc -w 3 "$1" "$2" -e true
  fi >/dev/null 2>&1
}
# With nc and not with wget, because static builds of wget crash on names.
answers() {
  if has python3; then python 'urllib.request as web' 'web.urlopen(*a, None, 5)' "http://$1:$2/"
  else
    printf 'GET / HTTP/1.0\r\nHost: %s\r\n\r\n' "$1" | timeout 5 nc -w 3 "$1" "$2" |
      head -n 1 | grep ' [23]..'
  fi >/dev/null 2>&1
}

# Objects of a kind as the table that kubectl prints, which is short however large they are. The
# token goes only to a server that has proved who it is, and never into the arguments of a program,
# which others may see.
ask() {
  host=$KUBERNETES_SERVICE_HOST
  case $host in *:*) host="[$host]" ;; esac
  url="https://$host:$KUBERNETES_SERVICE_PORT/$1/namespaces/$NAMESPACE/$2"
  url="$url?includeObject=None&pretty=false&$3"
  if has python3; then
    python 'ssl, urllib.request as web' 'token = open(a[1] + "/token").read().strip()
request = web.Request(a[0], None, {"Accept": a[2], "Authorization": "Bearer " + token})
verify = ssl.create_default_context(cafile=a[1] + "/ca.crt")
print(web.urlopen(request, timeout=10, context=verify).read().decode())' "$url" "$API" "$TABLE"
  else
    printf 'Accept: %s\nAuthorization: Bearer %s\n' "$TABLE" "$(cat "$API/token")" |
      curl --silent --fail --max-time 10 --cacert "$API/ca.crt" --header @- "$url"
  fi 2>/dev/null
}

# The cells of that table, a line for each row, separated by tabs.
rows() {
  awk -v RS='{' 'match($0, /"cells": *\[[^]]*\]/) {
    cells = split(substr($0, RSTART, RLENGTH), cell, "\"")
    row = cell[4]
    for (i = 6; i <= cells; i += 2) row = row "\t" cell[i]
    print row
  }'
}

# Jobs as lines "NAME STATE". Before Kubernetes 1.31, a column such as 1/1 is all there is of it.
job_states() {
  rows | awk -F '\t' '{
    state = "open"
    for (i = 2; i <= NF; i++) {
      if ($i == "Failed" || $i == "Suspended") state = $i
      done = split($i, part, "/") == 2 && part[1] ~ /^[0-9]+$/ && part[1] == part[2]
      if (done) state = "Complete"
    }
    print $1, state
  }'
}

look() {
  answer=$([ -z "$API" ] || ask apis/batch/v1 jobs "labelSelector=$SELECTOR")
  case $answer in *'"rows"'*) known=yes states=$(printf '%s' "$answer" | job_states) ;; esac
}

# Of the lines "NAME ..." on stdin, those whose Jobs are in one of the states; without one, "gone".
in_state() {
  { lines "$states" && echo && cat; } | awk -v wanted="$1" '
    !NF { all = 1; next }
    !all { state[$1] = $2; next }
    index(wanted, $1 in state ? state[$1] : "gone")'
}
# Either all replicas of a role decide how the job ends, or those that succeed, or a single one.
deciding() {
  if [ -n "$(expected any 1)" ]; then expected any | in_state Complete
  elif [ -n "$(expected decides 1)" ]; then expected decides
  else echo "$DECIDES"
  fi
}
ended() {
  [ -n "$known" ] && [ -n "$(deciding)" ] &&
    [ -z "$(deciding | in_state 'open Failed Suspended gone')" ]
}
# Whether peers must be there. If the API cannot be queried, the replica that decides must be seen
# to run; that its name resolves proves nothing, because it does until an ended pod is removed.
owed() {
  [ -z "$known" ] || return 0
  address=$(expected service | awk -v name="$DECIDES" '$1 == name')
  [ -n "$address" ] && listens $address
}
running() { if [ -n "$known" ]; then in_state open; else cat; fi; }

# Of the lines "NAME PORT" on stdin, those that fail the check; once time is up, a few of them.
refusing() {
  refused=0
  while read -r name port; do
    "$1" "$name" "$port" && continue
    echo "$name $port"
    refused=$((refused + 1))
    [ "$refused" -le "$SHOWN" ] || ! past || break
  done
}

# Repeat a check while some fail it, there is time, and the job goes on; `rest` are those that fail.
patiently() {
  rest=$2
  while
    rest=$(lines "$rest" | running | refusing "$1")
    [ -n "$rest" ] && ! past && ! ended && ! hopeless "$(waiting)"
  do
    sleep 2
    look
  done
}

config() {
  lost=$(for key in $CONFIG; do [ -e "$FILES/$key" ] || echo "$key"; done)
  if [ -n "$lost" ]; then fail config "missing: $(some "$lost")" "get configmaps"
  else tell ok config "all ConfigMap keys that the replicas read exist"
  fi
}

peers() {
  odd=$({ expected listed; awk NF "$FILES/$HOSTS" 2>/dev/null; } | sort | uniq -c |
    awk '$1 != 2 { print $2 ":" $3 }')
  if [ -n "$odd" ]; then
    fail peers "the list of peers and the values differ: $(some "$odd")" \
      "get configmap ${HOSTS%/*} -o yaml"
  else tell ok peers "the list of peers matches the values"
  fi
}

results() {
  bad=$(expected job | in_state 'Failed gone') who=$(deciding) verb='decides, is'
  [ "$(count "$who")" -eq 1 ] || verb='decide, are'
  if [ -z "$API" ]; then tell unsure jobs "could not be checked: rbac.create is false"
  elif ! able jobs python3 curl; then :
  elif [ -z "$known" ]; then tell unsure jobs "$blind"
  elif ended; then
    tell ok jobs "$(some "$who"), which $verb complete; peers may be gone and are not checked"
  elif [ -n "$bad" ]; then fail jobs "failed or missing: $(some "$bad")" "describe job ${bad%% *}"
  else tell ok jobs "$(count "$(expected job)") exist, none has failed"
  fi
}

names() {
  if [ -z "$rest" ]; then tell ok names "$(count "$all") resolve"
  elif ! owed; then
    tell unsure names "do not resolve; $early: $(some "$rest")"
  else fail names "do not resolve: $(some "$rest")" "describe job ${rest%% *}"
  fi
}

# Replicas that run a program of the chart must listen; others may. Where all meet at the first of a
# role, only that one does.
ports() {
  patiently listens "$(expected serves "$MOST")"
  silent=$(expected service "$MOST" meets | running | refusing listens)
  alone=$(expected meets 1 | running | refusing listens)
  if ended; then return
  elif [ -n "$rest" ] && ! owed; then
    tell unsure ports "not listening; $early: $(some "$rest")"
  elif [ -n "$rest" ]; then
    fail ports "not listening on port ${rest##* }: $(some "$rest")" "logs job/${rest%% *}"
  elif [ -n "$alone" ]; then
    tell note ports "all meet at ${alone% *}, which does not listen on port ${alone##* } (yet)"
  elif [ -n "$silent" ]; then
    silent="fine for a program that is starting or needs no port: $(some "$silent")"
    tell note ports "not listening, which is $silent"
  else tell ok ports "all replicas listen"
  fi
}

# The replicas with a pod that waits, or fails and restarts, or with none: lines "NAME WHY". Other
# checks see only those with a name.
pending() {
  { expected job | running && echo && printf '%s' "$answer" | rows; } | awk -F '\t' '
    !NF { all = 1; next }
    !all { sub(/ .*/, ""); ours[$0] = 1; next }
    sub(/-[^-]*$/, "", $1) && $1 in ours && !told[$1]++ &&
      $3 !~ /^(Running|Completed|Terminating)$/ { print $1, $3 }
    END { for (name in ours) if (!told[name]) print name, "refused" }'
}
# The same with what the cluster warned of, "NAME WHY MESSAGE"; one without a pod is among them only
# if its pod was refused.
waiting() {
  live='status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed'
  answer=$([ -z "$API" ] || ask api/v1 pods "labelSelector=$SELECTOR&fieldSelector=$live")
  case $answer in *'"rows"'*) ;; *) echo '? unknown' && return ;; esac
  open=$(pending)
  [ -z "$open" ] || {
    ask api/v1 events 'fieldSelector=type%3DWarning' | awk -v RS='"cells":' '
      { gsub(/\\"/, "\047") }
      split($0, cell, "\"") > 13 {
        name = cell[8]
        sub(/^pod./, "", name) && sub(/-[^-]*$/, "", name)
        if (!sub(/^job./, "", name) || cell[6] == "FailedCreate") printf "%s\t%s\n", name, cell[14]
      }' && echo && lines "$open" | sort
  } | awk -F '\t' '
    !NF { all = 1; next }
    !all { said[$1] = $2; next }
    { name = $0; sub(/ .*/, "", name) }
    !/ refused$/ || name in said { print $0 (name in said ? " " said[name] : "") }'
}
# Whether one of these waits for what will not come.
hopeless() {
  case ${known:+$1} in
    *'exceeded quota'*) return 1 ;;
    *ErrImage* | *ImagePull* | *InvalidImageName* | *ConfigError*) ;;
    *' not found'* | *' denied the request'* | *' is forbidden: '*) ;;
    *) return 1 ;;
  esac
}
# Of these, those that request a device and have no node (1), or all others (0).
lacking() {
  { expected device && echo && lines "$rest"; } | awk -v lacks="$1" '
    !NF { all = 1; next }
    !all { asks[$1] = 1; next }
    ($1 in asks && $2 == "Pending") == lacks'
}

reason() { lines "$1" | awk 'NR == 1 && NF > 2 { sub(/^[^ ]+ [^ ]+ /, ""); print "; " $0 }'; }

pods() {
  while
    rest=$(waiting)
    [ -n "$rest" ] && [ "$rest" != '? unknown' ] && ! past && ! ended && ! hopeless "$rest"
  do
    sleep 2
    look
  done
  ! ended || return 0
  if [ "$rest" = '? unknown' ]; then
    tell unsure pods "$blind" && return
  fi
  bare=$(lacking 1) others=$(lacking 0)
  if [ -n "$bare" ]; then
    fail devices "no node for replicas that request $DEVICES: $(some "$bare")$(reason "$bare")" \
      "describe pods -l job-name=${bare%% *}"
  elif [ -n "${DEVICES:-}" ]; then tell ok devices "all replicas that request $DEVICES have a node"
  fi
  if [ -n "$others" ]; then
    why=$(lines "$others" | awk 'NR == 1 { print $2 }')
    fail pods "not running ($why): $(some "$others")$(reason "$others")" \
      "describe pods -l job-name=${others%% *}"
  elif [ -z "$rest" ]; then tell ok pods "none is waiting or failing"
  fi
}

tensorboard() {
  until answers "$1" "$2"; do
    if past; then fail tensorboard "no answer from http://$1:$2/" "logs deployment/$1" && return; fi
    sleep 2
  done
  tell ok tensorboard "http://$1:$2/ answers"
}

# The API server may not know the test's permissions yet.
for pause in 1 2 3; do
  look
  [ -n "$API" ] && [ -z "$known" ] || break
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
