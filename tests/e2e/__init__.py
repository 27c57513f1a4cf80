"""A real Kubernetes on one machine, and the promises of chartgen's charts that only a cluster can keep.

`python -m tests.e2e run` builds what the cluster needs (debian, binaries, images and their interpreters: each made once
and kept, cache), starts it in namespaces of its own (cluster, outside; machine and services, inside), runs the tests
here, and stops it all (janitor: however the run ends). `up` and `down` give a person the same cluster. A framework
joins with a file in frameworks/ and one in requirements/.
"""
