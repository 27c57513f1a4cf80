"""What no schema can say about a job, check by check."""

from collections.abc import Callable, Iterator

from chartgen.checks import chart, devices, ends, objects, roles, sizes, values
from chartgen.checks import pods as pod_checks
from chartgen.checks.pods import env, resources
from chartgen.checks.pods import security as pod_security
from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.pods import Pods

_Check = Callable[[Pods, Document], Iterator[Problem]]
# Those that look at the job as a whole.
JOB_CHECKS: tuple[_Check, ...] = (
    roles.check_overrides,
    roles.check_ports,
    roles.check_managed,
    roles.check_directory,
    roles.check_names,
    chart.check_version,
    objects.check_extra_objects,
    devices.check_own_clouds,
    devices.check_fabrics,
    pod_checks.check_images,
    sizes.check_sizes,
    values.check_texts,
)
# Those that look at each pod, or at each place that describes pods, by itself.
POD_CHECKS: tuple[_Check, ...] = (
    objects.check_jobs,
    ends.check_exit_codes,
    ends.check_kept_records,
    devices.check_devices,
    pod_checks.check_tags,
    pod_checks.check_reserved,
    pod_checks.check_pods,
    env.check_env,
    pod_security.check_pod_security,
    resources.check_quantities,
    resources.check_requests,
    values.check_fields,
)


def check(pods: Pods, document: Document, checked: Pods | None = None) -> Iterator[Problem]:
    """Every problem that the checks find, once: pods that are alike in it share a place.

    What is in pods of the same job that were checked before is not looked at again.
    """
    problems: list[Problem] = []
    for check_part in JOB_CHECKS:
        problems += check_part(pods, document)
    others = pods.beside(checked) if checked else pods
    for check_part in POD_CHECKS:
        problems += check_part(others, document)
    return iter(dict.fromkeys(problems))
