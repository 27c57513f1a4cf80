"""What the templates of a kit see: structure as data, and values as references to Helm's."""

from json import dumps
from types import SimpleNamespace

from chartgen.chart.values import schema as values_schema
from chartgen.k8s.limits import DNS_LABEL
from chartgen.kits.model import Kit
from chartgen.kits.references import PrintTarget, Reference
from chartgen.pipeline import CheckedJob
from chartgen.plan.model import RolePlan
from chartgen.scaffold.late_values import LateValue, TooEarlyError
from chartgen.startup.typing import Any

_ALWAYS = ("roles", "rbac", "cleanup", "tests")


class GoText(LateValue):
    """Go template text that is made of a template's own words and of references."""

    def __init__(self, name: str, printed: str) -> None:
        self._name, self._printed = name, printed

    def printed(self) -> str:
        """As it is."""
        return self._printed

    def named(self) -> str:
        """What the template called."""
        return self._name


class _RolePort(Reference):
    """The port of a role: that there is one is structure, and which one is a value."""

    def __bool__(self) -> bool:
        return True


def context(kit: Kit, checked: CheckedJob, form: str) -> dict[str, Any]:
    """The names that a template may use."""
    job, plan = checked.job, checked.plan
    shape = values_schema.shape(job, plan, clouds=True)
    schema = values_schema.schema(shape)
    present = frozenset((*_ALWAYS, *job.groups))
    target = PrintTarget(form, schema, present)
    values = Reference(target, (), schema)
    services = []
    for service in plan.services:
        services.append(SimpleNamespace(name=service.name, role=service.role))
    return {
        "job": SimpleNamespace(name=job.name, framework=job.framework),
        "kit": SimpleNamespace(name=kit.name, version=kit.version),
        "roles": [_role(role, values) for role in plan.roles],
        "services": services,
        "values": values,
        "go": _go,
        "text": _text,
        "name": _name,
        "metadata": _metadata,
        "selector": _selector,
    }


def _role(role: RolePlan, values: Reference) -> SimpleNamespace:
    own = values["roles"][role.name]
    port = own["port"] if role.port is not None else None
    return SimpleNamespace(
        name=role.name,
        port=_RolePort(port._target, port._path, port._node) if port is not None else None,
        service=role.service,
        replicas=own["replicas"],
        serves=role.serves,
        managed=role.managed_by_framework,
    )


def _go(value: Any) -> GoText:
    """The bare Go expression of a value, for `{{ if }}` and the like."""
    if not isinstance(value, Reference):
        raise TooEarlyError("go(...) takes a value, such as values.image")
    return GoText(value.named(), value.expression())


def _text(*parts: Any) -> GoText:
    """Several parts as one text, some of which only Helm knows."""
    arguments = []
    for part in parts:
        known = isinstance(part, str | int)
        arguments.append(dumps(str(part)) if known else _text_of(part))
    return GoText("text(...)", f"{{{{ print {' '.join(arguments)} | toJson }}}}")


def _text_of(part: Any) -> str:
    if isinstance(part, Reference):
        return part.text()
    raise TooEarlyError("text(...) takes texts, numbers and values")


def _word(text: Any) -> str:
    """A word of the kit's own as a Go string."""
    if not isinstance(text, str):
        raise TooEarlyError('expected a text, such as name("quota")')
    return dumps(text)


def _full_name(text: Any) -> str:
    name = f'printf "%s-%s" $.Release.Name {_word(text)}'
    return f'({name} | trunc {DNS_LABEL} | trimSuffix "-")'


def _name(text: Any) -> GoText:
    """The name of an object, which no other release has."""
    return GoText("name(...)", f"{{{{ {_full_name(text)} | toJson }}}}")


def _metadata(text: Any) -> GoText:
    """The metadata of an object: that name, and the labels and annotations of all objects."""
    fields = f'"root" $ "id" $.Job.id "fullName" {_full_name(text)} "component" {_word(text)}'
    call = f'include "chartgen.metadata" (dict {fields})'
    return GoText("metadata(...)", f"{{{{ {call} | fromYaml | toJson }}}}")


def _selector(role: Any = None) -> GoText:
    """The labels that select the pods of the job, or of one of its roles."""
    labels = 'include "chartgen.selectorLabels" (dict "root" $ "id" $.Job.id) | fromYaml'
    if role is not None:
        labels = f'set ({labels}) "chartgen/role" {_word(role)}'
    return GoText("selector(...)", f"{{{{ {labels} | toJson }}}}")
