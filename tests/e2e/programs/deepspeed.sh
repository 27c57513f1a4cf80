#!/bin/sh
exec python -m deepspeed.launcher.runner "$@"
