#!/bin/sh
exec python -m dask "$@"
