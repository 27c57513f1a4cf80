"""Job + Plan + Pods -> Files: every file of a Helm chart."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from chartgen.chart import skeleton, values
from chartgen.chart.additions import Addition, add, rename_calls
from chartgen.chart.files import Files
from chartgen.chart.framework_file import framework_file
from chartgen.chart.framework_file.layout import by_role
from chartgen.chart.metadata import AUTO, LIBRARY_ADDRESS, metadata
from chartgen.chart.readme import readme
from chartgen.chart.values import schema as values_schema
from chartgen.devices import catalog
from chartgen.job.model import Job
from chartgen.pods import Pods
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Literal
from chartgen.syntax.yaml.writer import emit


class ChartOptions(NamedTuple):
    """What is not said by the job."""

    clouds: Literal["used", "all"] = "used"  # whether cloud data travel that the job cannot use
    layout: Literal["full", "thin"] = "full"  # whether charts share their templates in a library
    library: str = LIBRARY_ADDRESS  # where charts of the thin layout find it
    added: tuple[tuple[str, str], ...] = ()  # files beside those of every chart: path and text


DEFAULTS = ChartOptions()
# Pull requests then show what a reviewer reads, and fold the rest.
_ATTRIBUTES = """\
files/** linguist-generated
templates/lib/** linguist-generated
values.schema.json linguist-generated
"""


def chart(
    pods: Pods,
    roles: Mapping[str, str],
    options: ChartOptions,
    additions: Sequence[Addition] = (),
) -> Files:
    """Every file by its path in the chart."""
    library: Iterable[str] = ()
    if options.layout == "thin":
        from chartgen.chart import thin  # which few charts need

        files = thin.chart(pods, roles, options.library, additions)
        library = thin.content()
    else:
        clouds = options.clouds == "all" or pods.needs_clouds
        files = _full(pods, roles, additions, clouds=clouds)
    if options.added:
        files = dict(sorted((*files.items(), *options.added)))
    if pods.job.version != AUTO:
        return files
    from chartgen.chart import version  # its patterns take as long as a chart

    return version.sign(files, library)


def _full(
    pods: Pods, roles: Mapping[str, str], additions: Sequence[Addition], *, clouds: bool
) -> Files:
    """The skeleton as it is, and this job's data beside it."""
    job, plan = pods.job, pods.plan
    shape = values_schema.shape(job, plan, clouds=clouds)
    schema = values_schema.schema(shape)
    defaults = values.values(job, plan, schema["properties"])
    set_by_job = values.names_set_by(job)
    rows = values.rows(defaults, shape, set_by_job)
    files = {
        ".gitattributes": _ATTRIBUTES,
        "Chart.yaml": emit(metadata(job, plan, additions)),
        "README.md": readme(skeleton.text("README.md"), pods, roles, rows),
        "values.schema.json": values_schema.text(shape),
        "values.yaml": values.text(defaults, shape, roles, set_by_job),
    }
    if clouds:
        files["files/clouds.yaml"] = catalog.stream()
    else:
        files["files/clouds.txt"] = "".join(f"{name}\n" for name in catalog.names("cloud"))
    own = framework_file(job, plan)
    features = skeleton.features(job, plan, own, clouds=clouds)
    for path in skeleton.used_paths(job, plan, features):
        if path not in files:
            files[path] = _rename(skeleton.template(path, features), job)
    for name, text in by_role(job.framework, own):
        files[f"templates/{name}"] = _rename(text, job)
    for addition in additions:
        for path, text in add(files, addition, "").items():
            files[path] = rename_calls(text, job.name)
    return dict(sorted(files.items()))


def _rename(template: str, job: Job) -> str:
    """Named templates are global to Helm: under the chart's name, those of two charts differ."""
    return f'"{job.name}.'.join(_between_names(template))


@lru_cache(1000)  # all jobs have most templates in common
def _between_names(template: str) -> list[str]:
    return template.split('"chartgen.')
