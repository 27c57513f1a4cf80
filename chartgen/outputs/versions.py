"""The version of a chart to write, which may depend on the existing one."""

from collections.abc import Mapping

from chartgen.world import files

CHART = "Chart.yaml"


def settle(target: str, wanted: Mapping[str, str], library: str = "") -> Mapping[str, str]:
    """The files of a chart, with the version they get in this directory.

    A chart of the thin layout depends on this version of the library beside it. If nothing has
    changed but the version of chartgen, Chart.yaml stays as it is: a release of chartgen that makes
    the same charts changes no repository.
    """
    if CHART not in wanted:
        return wanted
    if library:
        from chartgen.chart import version

        wanted = {**wanted, CHART: version.with_library(wanted[CHART], library)}
    old = files.text(target, CHART)
    if old is None:
        return wanted
    new = wanted[CHART]
    if new == old:
        return wanted
    from chartgen.chart import version  # most charts are new, or have not changed

    settled = {**wanted, CHART: version.settle(new, old)}
    if version.same_but_for_maker(settled[CHART], old):
        as_before = {**settled, CHART: old}
        if not files.compare(target, as_before):
            return as_before
    return settled


def settle_library(target: str, wanted: Mapping[str, str]) -> Mapping[str, str]:
    """The files of the library, which keeps its version as long as nothing else changes."""
    old = files.text(target, CHART)
    if old is None or old == wanted[CHART]:
        return wanted
    from chartgen.chart import version  # as above

    as_before = {**wanted, CHART: old}
    same = version.same_but_for_version(wanted[CHART], old)
    return as_before if same and not files.compare(target, as_before) else wanted


def version_of(wanted: Mapping[str, str]) -> str:
    """The version in a chart's Chart.yaml."""
    from chartgen.chart import version  # as above

    return version.version_of(wanted[CHART])
