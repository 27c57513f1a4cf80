"""What no schema can say about a job, check by check."""

from collections.abc import Callable, Iterator

from chartgen.checks import chart, devices, ends, objects, roles, sizes, values
from chartgen.checks import pods as pod_checks
from chartgen.checks.pods import env, resources
from chartgen.checks.pods import security as pod_security
from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.pods import Pods

CHECKS: tuple[Callable[[Pods, Document], Iterator[Problem]], ...] = (
    roles.check_overrides,
    roles.check_ports,
    roles.check_managed,
    roles.check_directory,
    roles.check_names,
    chart.check_version,
    objects.check_jobs,
    ends.check_exit_codes,
    ends.check_kept_records,
    objects.check_extra_objects,
    devices.check_own_clouds,
    devices.check_devices,
    devices.check_fabrics,
    pod_checks.check_images,
    pod_checks.check_tags,
    pod_checks.check_reserved,
    pod_checks.check_pods,
    env.check_env,
    pod_security.check_pod_security,
    resources.check_quantities,
    resources.check_requests,
    sizes.check_sizes,
    values.check_fields,
    values.check_texts,
)


def check(pods: Pods, document: Document) -> Iterator[Problem]:
    """Every problem that the checks find, once: pods that are alike in it share a place."""
    problems: dict[Problem, None] = {}
    for check_part in CHECKS:
        problems |= dict.fromkeys(check_part(pods, document))
    return iter(problems)
