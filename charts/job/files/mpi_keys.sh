# Sourced by ssh.sh and sshd.sh: copies of the job's key that ssh accepts, in /run/mpi, and how ssh
# uses them. The same key proves who a worker is, and who may start programs there; nothing that the
# image has configured is used.
set -eu
umask 077
if ! id -un >/dev/null 2>&1; then
  if [ -w /etc/passwd ]; then echo "mpi:x:$(id -u):$(id -g)::/tmp:/bin/sh" >>/etc/passwd
  else
    echo "the user $(id -u) is not in /etc/passwd, so ssh refuses to work: add it to the image," \
      "or set podSecurityContext.runAsUser to a user of the image" >&2
    exit 1
  fi
fi

# Each worker with a port of its own, then what holds for all; in ssh the first value counts.
ssh_config() {
  usual=''
  while read -r name port; do
    usual=${usual:-$port}
    [ "$port" = "$usual" ] || printf 'Host %s\n  Port %s\n' "$name" "$port"
  done </etc/mpi/hosts
  cat <<END
Host *
  Port ${usual:-22}
  IdentityFile /run/mpi/id
  IdentitiesOnly yes
  HostKeyAlias worker
  UserKnownHostsFile /run/mpi/known_hosts
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
  BatchMode yes
  ConnectionAttempts 10
  ServerAliveInterval 15
  LogLevel ERROR
END
}

# Several may come at once: a file appears when it is complete.
put() {
  cat >"/run/mpi/.$1.$$"
  mv "/run/mpi/.$1.$$" "/run/mpi/$1"
}

if [ ! -e /run/mpi/ssh_config ]; then
  put id </etc/mpi-keys/ssh-privatekey
  public=$(ssh-keygen -y -f /run/mpi/id)
  echo "$public" | put authorized_keys
  echo "worker $public" | put known_hosts
  ssh_config | put ssh_config
fi
