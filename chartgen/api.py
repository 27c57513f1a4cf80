"""What other programs may import: read, check and render jobs, and write frameworks and formats.

Everything in `__all__` follows semantic versioning; whatever is not in it may move. Nothing here
reads a file, prints or exits: texts go in, values come out, and problems are an InputError with all
of them. `chartgen explain api` is the manual page.
"""

from collections.abc import Mapping

from chartgen import pipeline
from chartgen.chart import ChartOptions
from chartgen.document import Document
from chartgen.errors import ChartgenError, InputError, Mark, Problem
from chartgen.frameworks.base import Framework
from chartgen.job.model import Job, Role
from chartgen.native.draft import Adopted, Draft, Native, Note
from chartgen.native.format import Format
from chartgen.pipeline import CheckedJob
from chartgen.plan.late import (
    Count,
    Devices,
    First,
    Host,
    JobName,
    Namespace,
    Option,
    Ordinal,
    PeerList,
    Peers,
    Pick,
    Port,
    Rank,
    ReleaseName,
    RuntimeId,
    Total,
    text,
)
from chartgen.plan.model import Config, ConfigKey, Env, Mount, Plan, PodField, RolePlan, Start

__all__ = [
    "Adopted",
    "ChartOptions",
    "ChartgenError",
    "CheckedJob",
    "Config",
    "ConfigKey",
    "Count",
    "Devices",
    "Document",
    "Draft",
    "Env",
    "First",
    "Format",
    "Framework",
    "Host",
    "InputError",
    "Job",
    "JobName",
    "Mark",
    "Mount",
    "Namespace",
    "Native",
    "Note",
    "Option",
    "Ordinal",
    "PeerList",
    "Peers",
    "Pick",
    "Plan",
    "PodField",
    "Port",
    "Problem",
    "Rank",
    "ReleaseName",
    "Role",
    "RolePlan",
    "RuntimeId",
    "Start",
    "Total",
    "check",
    "read",
    "render",
    "text",
]


def read(
    source: str | bytes,
    file: str = "job.yaml",
    *,
    form: str = "",
    defines: Mapping[str, str] | None = None,
) -> list[Document]:
    """Text -> one Document for each job in it, in the order of the text.

    `file` is the name that problems show. A native format is recognized unless `form` names it;
    `${NAME}` in a native command line is filled from `defines`.
    """
    data = source.encode() if isinstance(source, str) else source
    return pipeline.read(data, file, form, defines)


def check(document: Document, cloud_files: Mapping[str, bytes] | None = None) -> CheckedJob:
    """Document -> a job that can be rendered, and its warnings; InputError with every problem.

    `cloud_files` has the text of the file that a description names as its cloud, by that name.
    """
    named = {name: (name, data) for name, data in (cloud_files or {}).items()}
    return pipeline.check(document, named)


def render(checked: CheckedJob, options: ChartOptions | None = None) -> dict[str, str]:
    """A checked job -> every file of its chart, by its path; the same job gives the same bytes."""
    return pipeline.render(checked, options or ChartOptions())
