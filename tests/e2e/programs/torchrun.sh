#!/bin/sh
exec python -m torch.distributed.run "$@"
