#!/bin/sh
# What pip would make of TensorBoard's entry point, with the image's own Python.
exec python -m tensorboard.main "$@"
