"""The thin layout: a library chart with all that jobs share, and a small chart for each job.

Charts of both layouts make the same objects. For a repository of many jobs the thin one is small.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from chartgen import __version__, frameworks
from chartgen.chart import skeleton, values
from chartgen.chart.additions import Addition, add
from chartgen.chart.files import Files
from chartgen.chart.framework_file import JOB_TEMPLATES, framework_file, print_file, role_template
from chartgen.chart.framework_file.layout import by_role
from chartgen.chart.metadata import KUBERNETES, LIBRARY, metadata
from chartgen.chart.readme import readme
from chartgen.chart.values import schema as values_schema
from chartgen.devices import catalog
from chartgen.job.model import make_job
from chartgen.pods import Pods
from chartgen.syntax.yaml.writer import emit

_LIB = "templates/lib/"
_NOTES = "templates/NOTES.txt"
_ATTRIBUTES = "values.schema.json linguist-generated\n"
_LIBRARY_ATTRIBUTES = "** linguist-generated\n"
_IGNORED = ".helmignore"
# The library's templates begin with "chartgen.", and those of a job with this and its name, so
# that they differ whatever the job is named.
_OWN = "job."
# How the library calls a template of the job: by the name under which the job's chart has it.
_CALL = '{{- include (printf "%s.NAME" ROOT.JobTemplates) . }}'
_ROLE = '(printf "chartgen.role.%s" .role)'
_GET_FILE = re.compile(r'([^\s(]*)\.Files\.Get ("[^"]+")')
_FILE = """\
{{/* The text of a file of this chart: (dict "root" $ "name" PATH). */}}
{{- define "chartgen.file" -}}
{{- (get .root.Subcharts "chartgen-library").Files.Get .name }}
{{- end -}}
"""
_JOB_ROLE = '(printf "%s.role.%s" .root.JobTemplates .role)'


def chart(
    pods: Pods, roles: Mapping[str, str], library: str, additions: Sequence[Addition] = ()
) -> Files:
    """The chart of a job: only what differs from other jobs."""
    job, plan = pods.job, pods.plan
    shape = values_schema.shape(job, plan, clouds=True, library=LIBRARY)
    schema = values_schema.schema(shape)
    defaults = values.values(job, plan, schema["properties"])
    set_by_job = values.names_set_by(job)
    rows = values.rows(defaults, shape, set_by_job)
    dependency = {"name": LIBRARY, "version": __version__, "repository": library}
    shared = frozenset(_role_templates(job.framework))
    own = print_file(job, plan, complete=True, shared=shared)
    # What the templates need does not depend on who has them, the job or its library.
    features = skeleton.features(job, plan, framework_file(job, plan), clouds=True)
    templates = []
    for path in skeleton.used_paths(job, plan, features):
        if path.endswith(".yaml") and path.startswith("templates/"):
            templates.append(_name(path))
    files = {
        ".gitattributes": _ATTRIBUTES,
        _IGNORED: skeleton.text(_IGNORED),
        "Chart.yaml": emit({**metadata(job, plan, additions), "dependencies": [dependency]}),
        "README.md": readme(skeleton.thin_readme(), pods, roles, rows),
        f"templates/_{job.framework}.tpl": _of_library(own).replace(
            'define "chartgen.', f'define "{_OWN}{job.name}.'
        ),
        _NOTES: _calls(job.name, ["notes"]),
        "templates/objects.yaml": _calls(job.name, sorted(templates, key=_validation_first)),
        "values.schema.json": values_schema.text(shape),
        "values.yaml": values.text(defaults, shape, roles, set_by_job, others=False),
    }
    for addition in additions:
        files |= add(files, addition, _head(job.name))
    return dict(sorted(files.items())) if additions else files


def _head(job: str) -> str:
    """Tells the library's templates whose job it is."""
    return f'{{{{- $_ := set . "JobTemplates" "{_OWN}{job}" }}}}\n'


def _calls(job: str, names: list[str]) -> str:
    return _head(job) + "".join(f'{{{{ include "chartgen.{name}" . }}}}\n' for name in names)


def _validation_first(name: str) -> bool:
    return not name.startswith("objects.validate")


def _name(path: str) -> str:
    """The template of the library that has the objects of a file."""
    stem = path.removeprefix("templates/").removesuffix(".yaml")
    return f"objects.{stem.replace('/', '-')}"


@cache
def library() -> Files:
    """The library chart: the machinery of all jobs, whatever their framework."""
    files = {
        ".gitattributes": _LIBRARY_ATTRIBUTES,
        _IGNORED: skeleton.text(_IGNORED),
        "Chart.yaml": emit(_library_metadata()),
        "README.md": skeleton.library_readme(),
        "files/clouds.yaml": catalog.stream(),
        "templates/_files.tpl": _FILE,
        "templates/_job.tpl": _dispatch(),
        # chart-testing fails on a chart without the file.
        "values.yaml": "# The library has no values: those of a job are in the job's own chart.\n",
    }
    for name in frameworks.MODULES:
        whole = "\n\n".join(_role_templates(name))
        whole = whole.replace('define "chartgen.role.', f'define "chartgen.{name}.role.')
        for file, text in by_role(name, f"{_of_library(whole)}\n"):
            files[f"templates/frameworks/{file}"] = text
    for path in skeleton.paths():
        text = _of_library(skeleton.template(path)).replace(_ROLE, _JOB_ROLE)
        if path.startswith("files/") or (path.startswith(_LIB) and "no_devices" not in path):
            files[path] = text
        elif path == _NOTES:
            files["templates/_notes.tpl"] = _define("notes", text)
        elif path.startswith("templates/") and path.endswith(".yaml"):
            name = _name(path)
            files[f"templates/objects/_{name.partition('.')[2]}.tpl"] = _define(name, text)
    return dict(sorted(files.items()))


@cache
def _role_templates(framework: str) -> tuple[str, ...]:
    """What a framework adds to each of its roles in a job that has all of them.

    A job whose roles get the same calls the library for it.
    """
    module = frameworks.framework(framework)
    data = {"name": "job", "framework": framework, "roles": {name: {} for name in module.ROLES}}
    plan = module.plan(make_job(data, module.OPTIONS))
    return tuple(role_template(role) for role in plan.roles)


def _of_library(template: str) -> str:
    """The same with the library's files, which are not those of the chart that uses it."""

    def get(call: re.Match[str]) -> str:
        return f'include "chartgen.file" (dict "root" {call[1] or "."} "name" {call[2]})'

    return _GET_FILE.sub(get, template)


def content() -> Iterator[str]:
    """The texts of the library that decide what charts make: all but what is for people."""
    return (text for path, text in library().items() if path.startswith(("files/", "templates/")))


def _define(name: str, text: str) -> str:
    return f'{{{{- define "chartgen.{name}" }}}}\n{text.rstrip()}\n{{{{- end }}}}\n'


def _dispatch() -> str:
    head = "{{/* Templates that each job's chart brings itself, under the job's name. */}}\n"
    calls = [head]
    for name in JOB_TEMPLATES:
        root = "" if name == "plan" else ".root"
        call = _CALL.replace("NAME", name).replace("ROOT", root)
        calls.append(f'{{{{- define "chartgen.{name}" -}}}}\n{call}\n{{{{- end -}}}}\n')
    return "\n".join(calls)


def _library_metadata() -> dict[str, object]:
    return {
        "apiVersion": "v2",
        "name": LIBRARY,
        "description": "What charts of jobs share; made by chartgen",
        "type": "library",
        "version": __version__,
        "kubeVersion": KUBERNETES,
        "annotations": {"chartgen/version": __version__},
    }
