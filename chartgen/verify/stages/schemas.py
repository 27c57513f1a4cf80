"""Check every rendered object against Kubernetes' own JSON Schemas.

The schemas are those of each --kube-version; by default of the oldest version that the chart
accepts and of the newest. They are strict: a field that Kubernetes does not know is a problem, and
so is a kind in an apiVersion that this version does not serve.

Custom kinds have no schema here, so the stage is not judged; `--skip-kind KIND` leaves a kind out.
The same holds where the schemas (`pip install 'chartgen[schemas]'`) are missing.
"""

from collections.abc import Iterable, Iterator

from chartgen import schema
from chartgen.document import Document, Path, Trap
from chartgen.errors import Mark, Problem
from chartgen.k8s import schemas
from chartgen.schema.messages import dotted
from chartgen.schema.walk import at, choices, types
from chartgen.startup.records import NamedTuple
from chartgen.verify.base import ChartTest, Findings
from chartgen.verify.rendering import variant
from chartgen.verify.result import Variant, merge_duplicates
from chartgen.words import did_you_mean, listed

NO_SCHEMAS = "Kubernetes' schemas are missing: pip install 'chartgen[schemas]'"

_NUMBERS = {"integer", "number"}


class Judgement(NamedTuple):
    """What is wrong with objects, and which kinds among them could not be judged."""

    problems: list[Problem]
    unknown: set[str]


def skip(test: ChartTest) -> str:
    """Needs objects."""
    return test.why_no_objects()


def run(test: ChartTest, findings: Findings) -> None:
    """Check the objects of every variant."""
    known = schemas.versions()
    if not known:
        findings.reasons.append(NO_SCHEMAS)
        return
    judged = [version for version in test.renderer.versions if _minor(version) in known]
    if judged:
        findings.about = f"of Kubernetes {listed(judged, 'and')}"
    for version in test.renderer.versions:
        if version not in judged:
            span = f"{known[0]} to {known[-1]}"
            reason = f"there are no schemas of Kubernetes {version}; known versions: {span}"
            findings.reasons.append(reason)
    problems: dict[Variant, list[Problem]] = {}
    unknown: dict[str, None] = {}
    for version in judged:
        for values in test.renderer.values:
            objects = _objects(test, values, version)
            judgement = check(objects, schemas.kinds(_minor(version)))
            if objects:
                problems[variant(values, version)] = judgement.problems
            unknown |= dict.fromkeys(sorted(judgement.unknown))
    findings.problems += test.renderer.add_templates(merge_duplicates(problems))
    for kind in unknown:
        name = kind.partition(" ")[0]
        reason = f"{kind} is not a kind of Kubernetes itself (--skip-kind {name} leaves it out)"
        findings.reasons.append(reason)


def _objects(test: ChartTest, values: str, version: str) -> list[Document]:
    """The rendered objects, apart from kinds that are to be skipped."""
    skipped = test.options.skip_kinds
    objects = test.renderer.get(values, version).objects
    return [document for document in objects if document.data["kind"] not in skipped]


def _minor(version: str) -> str:
    """A version without its patch."""
    return ".".join(version.split(".")[:2])


def check(objects: Iterable[Document], known: schemas.Kinds) -> Judgement:
    """Every problem of every object; objects of custom kinds cannot be judged."""
    judgement = Judgement([], set())
    for document in objects:
        api_version, kind = document.data["apiVersion"], document.data["kind"]
        name = known.names.get((api_version, kind))
        if name:
            rules = {"$ref": f"#/$defs/{name}", "$defs": known.definitions}
            judgement.problems.extend(_problems(document, rules))
        elif schemas.group(api_version) in known.groups:
            judgement.problems.append(_not_served(document, known))
        else:
            judgement.unknown.add(f"{kind} ({api_version})")
    return judgement


def _not_served(document: Document, known: schemas.Kinds) -> Problem:
    """The problem of a kind misspelt, or in a version that is gone or yet to come."""
    api_version, kind = document.data["apiVersion"], document.data["kind"]
    message, hint = f"Kubernetes has no {kind} in {api_version}", ""
    served = [version for version, name in known.names if name == kind]
    if served:
        message += f"; expected {min(served, key=_stability)}"
    else:
        hint = did_you_mean(kind, [name for version, name in known.names if version == api_version])
    return Problem(Mark(document.file, 0, 0), message, "object-api-unknown", hint)


def _stability(version: str) -> tuple[bool, bool, str]:
    """What sorts stable versions before beta, and beta before alpha."""
    return "alpha" in version, "beta" in version, version


def _problems(document: Document, rules: schema.Schema) -> Iterator[Problem]:
    """The problems at fields of the object: the lines are those of Helm's output."""
    traps = tuple(trap for trap in document.traps if _is_text_only(trap, rules))
    for problem in schema.check(document._replace(locate=_field, traps=traps), rules):
        message = problem.message
        if problem.rule == "yaml-quotes-needed":
            message = f"{problem.mark.file}: {message}"
        yield problem._replace(mark=Mark(document.file, 0, 0), message=message)


def _field(path: Path, _key: bool) -> Mark:
    return Mark(dotted(path), 0, 0)


def _is_text_only(trap: Trap, rules: schema.Schema) -> bool:
    """Whether a number is refused there; where both are accepted, as in a quantity, all is well."""
    node = at(rules, trap.path)
    if node is None:
        return False
    return not any(_NUMBERS & {*types(choice)} for choice in choices(node, rules))
