# A worker: sshd on MPI_SSH_PORT for the user that this runs as, whoever that is. What is started
# has the environment of this container, and not the almost empty one that sshd gives. It needs sh,
# sshd and ssh-keygen.
. /etc/mpi/keys.sh
export -p >/run/mpi/environment
put sshd_config <<END
Port $MPI_SSH_PORT
HostKey /run/mpi/id
AuthorizedKeysFile /run/mpi/authorized_keys
AuthenticationMethods publickey
PermitRootLogin yes
PidFile none
StrictModes no
UsePAM no
X11Forwarding no
AllowTcpForwarding no
MaxStartups 1000
ForceCommand exec /bin/sh -c '. /run/mpi/environment; eval "\$SSH_ORIGINAL_COMMAND"'
END
sshd=$(command -v sshd || echo /usr/sbin/sshd)
if [ ! -x "$sshd" ]; then
  echo "there is no sshd in this image: install openssh-server" >&2
  exit 1
fi
[ "$(id -u)" != 0 ] || mkdir -p /run/sshd # for which sshd asks as root
exec "$sshd" -D -e -f /run/mpi/sshd_config
