# Take part in what mpiexec starts in the launcher, without ssh: Hydra's proxy connects to
# MPI_LAUNCHER, "NAME:PORT", as number MPI_PROXY_ID and starts this worker's processes. Its
# arguments differ between versions of MPICH, so this worker's own mpiexec is asked for them. It
# needs sh, grep, sed, mktemp, python3 or bash, mpiexec and hydra_pmi_proxy.
set -u
trap 'exit 143' TERM # process 1 of a container ignores it otherwise, and its end would take long

# What mpiexec would have somebody type on its first host; it waits for that, so it is ended.
ask_mpiexec() {
  lines=$(mktemp)
  unset MPIEXEC_PORT_RANGE HYDRA_HOST_FILE
  HYDRA_LAUNCHER=manual mpiexec -n 1 -hosts "$(hostname)" true >"$lines" 2>&1 &
  for pause in 1 1 1 2 5 10 20; do
    grep -q '^HYDRA_LAUNCH_END' "$lines" && break
    sleep "$pause"
  done
  kill $! 2>/dev/null
  sed -n 's/^HYDRA_LAUNCH: //p' "$lines"
  rm -f "$lines"
}

# Print a line once mpiexec listens, and end when it ends: a proxy that comes back to an mpiexec
# that still runs would be its end. A connection that says nothing does not disturb it.
watch_mpiexec() {
  host=${MPI_LAUNCHER%:*} port=${MPI_LAUNCHER##*:}
  if command -v python3 >/dev/null; then
    exec python3 -c 'import socket, sys
connection = socket.create_connection(sys.argv[1:], 10)
connection.settimeout(None)
connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 60)
print("listens", flush=True)
connection.recv(1)' "$host" "$port"
  fi
  exec bash -c 'exec 3<>"/dev/tcp/$0/$1" && echo listens && read -r -n 1 <&3' "$host" "$port"
}

# The shell acts on a signal only between commands, or while it waits.
patiently() {
  "$@" &
  wait $!
}

proxy=$(ask_mpiexec)
if [ -z "$proxy" ]; then
  echo "mpiexec does not tell how to start Hydra's proxy; is it MPICH's, and on the PATH?"
  exit 1
fi
own="s/--control-port [^ ]*/--control-port $MPI_LAUNCHER/; s/--proxy-id [0-9]*/--proxy-id"
proxy=$(echo "$proxy" | sed "$own $MPI_PROXY_ID/")
echo "ready: $proxy"
said=$(mktemp)
while true; do
  watch_mpiexec >"$said" 2>/dev/null &
  watch=$!
  while [ ! -s "$said" ] && kill -0 $watch 2>/dev/null; do patiently sleep 0.2; done
  if [ -s "$said" ]; then patiently $proxy; fi
  wait $watch
  patiently sleep 1
done
