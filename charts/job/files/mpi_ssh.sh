#!/bin/sh
# What MPI runs instead of ssh, with the arguments of ssh: [OPTION...] HOST COMMAND...
. /etc/mpi/keys.sh
exec ssh -F /run/mpi/ssh_config "$@"
