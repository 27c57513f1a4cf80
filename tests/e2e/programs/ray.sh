#!/bin/sh
exec python -m ray.scripts.scripts "$@"
