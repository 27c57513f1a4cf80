# Wait for other pods before the replica starts. NAME: has to be known to the DNS; HOSTS: lines "NAME PORT", each of which has
# to accept connections; WEB: "NAME PORT", which has to answer a GET of ASK with a number of at least LEAST or, if there is a
# COUNT, with a page that contains it so many times; TIMEOUT: seconds after which it gives up, if any.
# It needs sh, sed and nc, or python3.
set -u
trap 'exit 143' TERM  # process 1 of a container ignores it otherwise, and removing the pod would take long
start=$(date +%s)

has() { command -v "$1" >/dev/null 2>&1; }

# Small builds of nc have no -z, others have no -e.
listens() {
  if has python3; then python3 -c 'import socket, sys; socket.create_connection(sys.argv[1:], 3)' "$1" "$2"
  else nc -z -w 3 "$1" "$2" || nc -w 3 "$1" "$2" -e true
  fi >/dev/null 2>&1
}

# What nc says about a name that is not known; nslookup of busybox does not look where programs do.
is_known() {
  if has python3; then python3 -c 'import socket, sys; socket.getaddrinfo(sys.argv[1], None)' "$1" >/dev/null 2>&1
  else case $(nc -w 1 "$1" 9 </dev/null 2>&1) in *'bad address'* | *resol* | *'not known'* | *lookup*) false ;; esac
  fi
}

page() {
  if has python3; then python3 -c 'import sys, urllib.request as web; print(web.urlopen(sys.argv[1], None, 5).read().decode())' "http://$1:$2$3"
  else printf 'GET %s HTTP/1.0\r\nHost: %s\r\n\r\n' "$3" "$1" | timeout 5 nc -w 3 "$1" "$2"
  fi 2>/dev/null
}

# How often a page contains COUNT, or else the number that is all it contains; nothing if it is something else.
number() {
  if [ -n "${COUNT:-}" ]; then page "$@" | grep -o "$COUNT" | wc -l | tr -d ' '
  else page "$@" | sed -n 's/^\([0-9][0-9]*\)[^0-9]*$/\1/p' | tail -n 1
  fi
}

# Repeat a check until it succeeds, and print what is missing when that changes.
until_done() {
  said=''
  while ! "$@"; do
    if [ -n "${TIMEOUT:-}" ] && [ $(($(date +%s) - start)) -ge "$TIMEOUT" ]; then
      echo "gave up after $TIMEOUT seconds: $missing"
      exit 1
    fi
    [ "$missing" = "$said" ] || echo "waiting: $missing"
    said=$missing
    sleep 2
  done
}

resolves() {
  missing="$1 is not known to the DNS yet"
  is_known "$1"
}

accepts() {
  missing="$1:$2 does not accept connections yet"
  listens "$1" "$2"
}

enough() {
  found=$(number "$1" "$2" "$ASK")
  missing="http://$1:$2$ASK returns ${found:-nothing}, expected at least $LEAST"
  [ "${found:-0}" -ge "$LEAST" ]
}

[ -z "${NAME:-}" ] || until_done resolves "$NAME"
while read -r name port; do
  [ -z "$name" ] || until_done accepts "$name" "$port" </dev/null
done <<END
${HOSTS:-}
END
[ -z "${WEB:-}" ] || until_done enough $WEB
echo "ready after $(($(date +%s) - start)) seconds"
