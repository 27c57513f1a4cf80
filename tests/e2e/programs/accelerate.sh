#!/bin/sh
exec python -m accelerate.commands.accelerate_cli "$@"
