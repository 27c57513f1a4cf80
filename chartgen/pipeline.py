"""The whole program on one page: text -> Document -> Job -> Plan -> Pods -> Files."""

from collections.abc import Callable, Mapping

from chartgen import chart, checks, frameworks, pods, schema
from chartgen.chart.additions import Addition
from chartgen.chart.files import Files
from chartgen.checks import roles
from chartgen.document import Document
from chartgen.errors import InputError, Mark, MissingProblem, Problem
from chartgen.job import cloud_file, shorthands
from chartgen.job.model import NO_GROUPS, Job, make_job
from chartgen.plan.model import Plan
from chartgen.pods import Pods
from chartgen.startup.records import NamedTuple
from chartgen.syntax.text import ReadOptions
from chartgen.syntax.yaml import reader as yaml_reader

LIMIT = 4 * 2**20  # bytes of a file; the largest sensible description is a hundredth of it


class CheckedJob(NamedTuple):
    """A job without problems, ready to be rendered, and its warnings."""

    job: Job
    plan: Plan
    pods: Pods
    warnings: tuple[Problem, ...]
    name_mark: Mark
    document: Document  # with all shorthands expanded
    namespace: str = ""  # the one that a native text names; a chart has none
    additions: tuple[Addition, ...] = ()  # what kits add to its chart


def read(
    text: bytes, file: str, form: str = "", defines: Mapping[str, str] | None = None
) -> list[Document]:
    """Text -> Documents, one for each job in it; a native format is recognized if none is named.

    `${NAME}` in a command line is filled from `defines`.
    """
    documents: list[Document] = []
    unreadable = None
    if not form:
        try:
            documents = yaml_reader.read(text, file, ReadOptions(keep_duplicates=True))
        except InputError as error:
            unreadable = error
        if documents and all(_is_description(document.data) for document in documents):
            return documents
    from chartgen import native  # job descriptions do without it

    form = form or native.recognize(text, file, documents)
    if form:
        return native.read(text, file, form, defines)
    if unreadable:
        raise native.explain(text, file, unreadable)
    from chartgen.native import objects  # command lines do without it

    return objects.split_objects(documents)


def _is_description(data: object) -> bool:
    return isinstance(data, dict) and bool(data.keys() & {"framework", "roles"})


def check(
    document: Document,
    files: cloud_file.NamedFiles | None = None,
    complete: Callable[[Document], Document] | None = None,
    groups: Mapping[str, str] = NO_GROUPS,
) -> CheckedJob:
    """Document -> Job, Plan and Pods; every problem at once, as an InputError.

    `files` holds what the document names as its cloud; `complete` adds the defaults of a project
    and of kits, and `groups` has the schemas of the values that kits add.
    """
    if document.form:
        document, adopted, namespace = _adopt(document)
    else:
        (document, adopted), namespace = cloud_file.insert(document, files or {}), ""
    if complete:
        document = complete(document)
    rules = _rules(document, groups)
    refused = schema.check(document, rules)
    sound = document if not refused else schema.sound_part(document, rules, {"name": "unnamed"})
    problems = list(dict.fromkeys((*document.problems, *adopted, *refused)))
    planned = None
    if sound is not None:
        planned, more = _plan(sound, groups, whole=not _errors(problems))
        problems += more
    if planned is None or _errors(problems):
        raise InputError(problems)
    job, plan, pods, full = planned
    return CheckedJob(job, plan, pods, tuple(problems), document.mark(("name",)), full, namespace)


def check_values(checked: CheckedJob, values: Document) -> CheckedJob:
    """The job as it is with other values, checked; every problem at once, as an InputError."""
    from chartgen.job import layers  # a chart leaves values to Helm

    document = layers.lay_over(checked.document, values)
    assembled, problems = _assemble(document, checked.job.groups, checked.pods, whole=True)
    if assembled is None or _errors(problems):
        raise InputError(problems)
    job, plan, pods, full = assembled
    return checked._replace(job=job, plan=plan, pods=pods, document=full, warnings=tuple(problems))


def _adopt(document: Document) -> tuple[Document, list[Problem], str]:
    """A document in a native format -> the job description that it means, and its problems."""
    from chartgen import native  # as above

    described, _, problems, namespace = native.adopt(document)
    if described is None:
        raise InputError(problems)
    return described, list(problems), namespace


def _errors(problems: list[Problem]) -> bool:
    return any(problem.severity == "error" for problem in problems)


_Assembled = tuple[Job, Plan, Pods, Document]


def _plan(
    document: Document, groups: Mapping[str, str], *, whole: bool
) -> tuple[_Assembled | None, list[Problem]]:
    """What the schema cannot check, and the plan and the pods if the rest allows them."""
    framework = frameworks.framework(document.data["framework"])
    document, problems = roles.keep_known(document, framework.TITLE, framework.ROLES)
    problems += roles.check_options(document, framework.NAME, frameworks.MODULES)
    if not document.data["roles"]:
        return None, problems
    document, more = shorthands.desugar(document, framework.CONTAINER)
    problems += more
    assembled, deeper = _assemble(document, groups, None, whole=whole and not problems)
    return assembled, problems + deeper


def _assemble(
    document: Document, groups: Mapping[str, str], checked: Pods | None, *, whole: bool
) -> tuple[_Assembled | None, list[Problem]]:
    """The job, plan and pods of a description whose shorthands are expanded.

    Pods that were checked before, with other values, are not checked again.
    """
    framework = frameworks.framework(document.data["framework"])
    refused = schema.check(document._replace(traps=()), _rules(document, groups))
    if refused:
        return None, refused
    described = make_job(document.data, framework.OPTIONS, groups)
    if too_large := [*roles.check_work(described, document)]:
        return None, too_large
    plan = framework.plan(described)
    assembled = pods.assemble(described, plan)
    deeper = [*framework.check(described, document), *checks.check(assembled, document, checked)]
    if not whole:
        deeper = [problem for problem in deeper if not isinstance(problem, MissingProblem)]
    return (described, plan, assembled, document), deeper


def _rules(document: Document, groups: Mapping[str, str]) -> schema.Schema:
    """The schema of job descriptions, with this one's framework and the values of kits."""
    data = document.data
    rules = frameworks.job_schema(data.get("framework") if isinstance(data, dict) else None)
    if not groups:
        return rules
    from json import loads  # few jobs have kits

    added = {name: loads(group) for name, group in groups.items()}
    return {**rules, "properties": {**rules["properties"], **added}}


def render(checked: CheckedJob, options: chart.ChartOptions = chart.DEFAULTS) -> Files:
    """Job, Plan and Pods -> Files."""
    framework = frameworks.framework(checked.job.framework)
    roles = framework.ROLES or dict.fromkeys(checked.job.roles, "a role of this job")
    return chart.chart(checked.pods, roles, options, checked.additions)


def totals(checked: CheckedJob) -> dict[str, float]:
    """What the job's pods request of the cluster in total."""
    return chart.totals.sum_requests(checked.pods)
