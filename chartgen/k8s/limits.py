"""Limits that Kubernetes, Helm and Linux set, each stated once, with its source.

Templates cannot import these; a test compares the numbers that they repeat.
"""

# RFC 1123. Names of namespaces, Services and Jobs are DNS labels, and a Job's name becomes a label
# of its pods; values of labels may not be longer either.
DNS_LABEL = 63
# RFC 1123. Names of most other objects, and keys of ConfigMaps.
DNS_SUBDOMAIN = 253
# IANA service names: the limit for the name of a container's port.
PORT_NAME = 15
# Helm: the longest name of a release.
RELEASE_NAME = 53
# The API server refuses a ConfigMap or a Secret with more bytes of data. Helm keeps each revision
# of a release in one Secret.
OBJECT_BYTES = 2**20
# Linux, MAX_ARG_STRLEN: bytes of one string of the environment or the arguments, with the zero
# byte at its end.
ENV_STRING_BYTES = 131_072
# k8s.io/apimachinery, TotalAnnotationSizeLimitB: keys and values of one object's annotations.
ANNOTATION_BYTES = 262_144
# The oldest Kubernetes that charts support: the first with native sidecars, without which a Job
# with a sidecar never ends.
OLDEST_KUBERNETES = "1.29"
