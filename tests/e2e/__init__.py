"""A real Kubernetes on one machine, for what only a cluster can show about chartgen's charts.

`python -m tests.e2e run` builds what the cluster needs (debian, binaries, images and their
interpreters; each is built once and kept by cache), starts it in its own namespaces (cluster from
outside, machine and services inside), runs the tests here, and stops everything (janitor, however
the run ends). `up` and `down` start and stop the same cluster for a person. To add a framework,
add a file in frameworks/ and one in requirements/.
"""

# The variable that says which tests to collect: 1 for those that change the cluster itself, 0 for
# all others, and nothing for both.
ALONE = "CHARTGEN_E2E_ALONE"
