"""What a framework adds, as one template of the chart: ordinary YAML with holes.

Whoever asks where a variable or an argument comes from opens this file, and no other.
"""

import re
from collections.abc import Iterator, Mapping, Set
from functools import lru_cache
from itertools import groupby
from json import dumps
from typing import Any, cast

from chartgen.chart import go_template
from chartgen.chart.go_template import block, condition, hole
from chartgen.job.model import Job
from chartgen.plan.late import Only, Peers, Port, ShippedFile, Text, Tree, Words
from chartgen.plan.model import (
    Config,
    ConfigKey,
    Env,
    Mount,
    Plan,
    PodField,
    RolePlan,
    Volume,
    Wait,
)
from chartgen.syntax.yaml.writer import mapping, scalar

Lines = list[str]

# The templates of a job, beside one for each role.
JOB_TEMPLATES = (
    *("plan", "configs", "tensorboardLabels"),
    *("rules", "services", "unmanaged", "lockName"),
)

_ALWAYS_USED = ("configs", "tensorboardLabels")

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_ACTION = re.compile(rf"\{{\{{(?:{_STRING.pattern}|[^\"])*?\}}\}}")
_OPTION = re.compile(r"\$([a-z]\w*)\.")
_CHOSEN = re.compile(r'eq \(toString \$(\w+)\.\w+\) "([a-z]\w*)"')
_REQUESTED = re.compile(
    r'include "chartgen\.requested" \(dict "spec" \.spec "resource" "(\w+)"[^)]*\)'
)
_OBJECT_NAME = re.compile(r'include "chartgen\.name" \(merge \(dict "name" "([a-z-]+)"\) \.\)')
_ENTRY = re.compile(
    r"^( *)- name: (\w+)\n\1  (?:"
    r"valueFrom:\n\1    configMapKeyRef:\n\1      name: (.+)\n\1      key: (.+)"
    r"|(value(?:From)?: .+))$",
    re.M,
)
_LONG = re.compile(r"^(?=.{101})( *)([^'\n]+?) (\((?:merge \()?dict .*)$", re.M)
_WIDTH = 100  # of a line, before names of templates begin with the chart's
# A role without a command of its own runs the default one.
_STARTS = 'not (or (hasKey .spec "command") (hasKey .spec "args"))'


def framework_file(
    job: Job, plan: Plan, *, complete: bool = False, shared: Set[str] = frozenset()
) -> str:
    """The templates of this framework, for this job's roles.

    If complete, with those that it does not need; those of roles that are shared, of a library,
    are called and not repeated.
    """
    title = plan.title
    head = f"What {title} adds to this job: YAML with holes that Helm fills in. First, the facts."
    templates = [_define("plan", head, list(_facts(job, plan)))]
    calls = []
    for role in plan.roles:
        template = role_template(role)
        if template in shared:
            calls.append(_call(job.framework, role.name))
        else:
            templates.append(template)
    if calls:
        about = "{{/* What it adds to replicas as in every job: the library has it. */}}"
        templates.append("\n".join([about, *calls]))
    unused = [f"{{{{/* {title} needs none of these. */}}}}"]
    for name, about, body, nothing in (
        ("configs", "The ConfigMaps that replicas share.", _configs(plan), "[]"),
        ("tensorboardLabels", "Labels for TensorBoard.", _labels(plan.tensorboard_labels), "{}"),
        ("rules", "What pods that use the API may do.", _rules(plan), "[]"),
        ("services", "Services for all replicas of a role.", _services(plan), "[]"),
        ("unmanaged", "What selects pods created at run time.", _line(plan.unmanaged_pods), ""),
        ("lockName", "A name for one release in a namespace.", _line(plan.lock_name), ""),
    ):
        if body:
            templates.append(_define(name, about, body))
        elif complete or name in _ALWAYS_USED:
            unused.append(f'{{{{- define "chartgen.{name}" -}}}}{nothing}{{{{- end -}}}}')
    if len(unused) > 1:
        templates.append("\n".join(unused))
    return "\n\n".join(templates) + "\n"


def _call(framework: str, role: str) -> str:
    """The template of a role that calls the library's."""
    call = hole(f'include "chartgen.{framework}.role.{role}" .')
    return f'{{{{- define "chartgen.role.{role}" -}}}}{call}{{{{- end -}}}}'


def _line(text: Text) -> Lines:
    return [hole(go_template.string(text))] if text else []


def _define(name: str, about: str, body: Lines) -> str:
    return _print(name, about, "\n".join(body))


@lru_cache(1000)  # most jobs of a framework share them
def _print(name: str, about: str, whole: str) -> str:
    head = [f"{{{{/* {about} */}}}}", f'{{{{- define "chartgen.{name}" -}}}}']
    body = _name_repeated(whole)
    options = [
        f"{{{{- ${group} := .root.Values.{group} | default dict -}}}}" for group in _groups(body)
    ]
    return "\n".join([*head, *options, *_fold(body), "{{- end -}}"])


def _name_repeated(whole: str) -> Lines:
    """The lines of a text, with a variable for what stands in several places."""
    heads = []
    for expression, name in _names(whole).items():
        if whole.count(expression) > 1:
            heads.append(f"{{{{- ${name} := {expression} -}}}}")
            whole = whole.replace(f"({expression})", f"${name}").replace(expression, f"${name}")
    return [*heads, *whole.split("\n")]


def _fold(body: Lines) -> Lines:
    """The same with variables of the environment on one line each, and no line that is too long.

    Except for one with a quoted text, which is not for us to break.
    """

    def fold(entry: re.Match[str]) -> str:
        space, name, config, key, value = entry.groups()
        forms = []
        if config:
            reference = f"configMapKeyRef: {{name: {config}, key: {key}}}"
            value = f"valueFrom: {{{reference}}}"
            forms.append(f"{space}- name: {name}\n{space}  valueFrom:\n{space}    {reference}")
        forms += [f"{space}- name: {name}\n{space}  {value}", f"{space}- {{name: {name}, {value}}}"]
        fitting = [form for form in forms if max(map(len, form.split("\n"))) <= _WIDTH]
        return fitting[-1] if fitting else entry[0]

    folded = _ENTRY.sub(fold, "\n".join(body))
    return _LONG.sub(r"\1\2\n\1  \3", folded).split("\n")


def _names(text: str) -> dict[str, str]:
    """The expressions in a text that have a name: the option's value, or what they are about."""
    named = {"starts": _STARTS, "requests": go_template.REQUESTS}
    for found in _CHOSEN.finditer(text):
        named.setdefault(found[2], found[0])  # of two options with one value, only the first
    for found in _REQUESTED.finditer(text):
        named.setdefault(found[1], found[0])
    for found in _OBJECT_NAME.finditer(text):
        named.setdefault(_variable(found[1]), found[0])
    groups = {found[1] for found in _CHOSEN.finditer(text)}
    return {expression: name for name, expression in named.items() if name not in groups}


def _variable(name: str) -> str:
    """The variable for the name of an object: "cm-ps" is cmPs."""
    first, *others = name.split("-")
    return first + "".join(map(str.capitalize, others))


def _groups(body: Lines) -> list[str]:
    """The groups of options that some lines use; what stands in a string is no variable."""
    groups: dict[str, None] = {}
    for line in body:
        for action in _ACTION.findall(line):
            groups |= dict.fromkeys(_OPTION.findall(_STRING.sub("", action)))
    return [*groups]


def _facts(job: Job, plan: Plan) -> Iterator[str]:
    """What does not depend on values, a line each."""
    yield f"framework: {scalar(plan.title)}"
    decides = {"role": plan.completion_role, "all": plan.completion == "all"}
    yield f"decides: {_flow_mapping(decides)}"
    yield f"peersHint: {scalar(plan.peers_hint)}"
    yield "roles:"
    for role in plan.roles:
        facts = _flow_mapping(_role_facts(role, job.replicas(role.name)))
        yield from _wrap(f"  {role.name}: {facts}", "    ")
    for config in plan.configs:
        match config.data.get("hosts"):
            case (Peers(roles, _),):
                listed = f"[{', '.join(map(scalar, roles))}]"
                yield f"hosts: {{config: {config.name}, roles: {listed}}}"
    if plan.notes:
        yield from mapping({"notes": list(plan.notes)})


def _flow_mapping(fields: Mapping[str, Any]) -> str:
    """A mapping on one line."""
    return f"{{{', '.join(f'{key}: {scalar(value)}' for key, value in fields.items())}}}"


def _wrap(line: str, space: str) -> Lines:
    """A list or mapping on one line as several, if it is too long."""
    lines: Lines = []
    while len(line) > _WIDTH:
        cut = line.rindex(", ", 0, _WIDTH) + 1
        lines.append(line[:cut])
        line = f"{space}{line[cut:].lstrip()}"
    return [*lines, line]


def _role_facts(role: RolePlan, replicas: int) -> dict[str, Any]:
    facts: dict[str, Any] = {"container": role.container}
    if role.port_name:
        facts["portName"] = role.port_name
    flags = {
        "service": role.service,
        "starts": role.start is not None,
        "command": bool(role.command),
        "api": role.api,
        "noJobs": role.managed_by_framework,
        "rescalable": role.rescalable,
        "serves": role.serves,
        "once": role.defaults.get("backoffLimit") == 0,
    }
    if role.rank_after:
        facts["rankAfter"] = " ".join(role.rank_after)
    if role.bare:
        facts["bare"] = role.bare
    if replicas and not role.managed_by_framework:
        facts["replicas"] = replicas  # as rendered, for checks of overrides
    return facts | {name: True for name, holds in flags.items() if holds}


_printed: dict[str, str] = {}  # the templates of roles; most jobs of a framework share them


def role_template(role: RolePlan) -> str:
    """What the framework adds to the replicas of a role."""
    key = repr(role)  # late values of two types can be equal, but do not look the same
    if key not in _printed:
        _printed[key] = _role(role)
    return _printed[key]


def _role(role: RolePlan) -> str:
    sections = {
        "labels": _labels(role.labels, "  "),
        "env": _entries(role.env, "  "),
        "args": _words(role.args, "  "),
        "fields": _fields(role.fields, "  "),
    }
    body = _command(role)
    for name, lines in sections.items():
        if lines:
            body += [f"{name}:", *lines]
    body += _volumes(role)
    if role.waits:
        body += ["waits:", *(line for wait in role.waits for line in _wait(wait))]
    about = f"What it adds to the replicas of {role.name}."
    return _define(f"role.{role.name}", about, body or ["{}"])


def _command(role: RolePlan) -> Lines:
    own = _wrap(f"command: {_flow(role.command)}", "  ") if role.command else []
    if role.start is None:
        return own
    return block(_STARTS, _wrap(f"command: {_flow(role.start.command)}", "  "), "", own)


def _flow(words: tuple[Text, ...]) -> str:
    return f"[{', '.join(map(go_template.yaml, words))}]"


def _labels(labels: Mapping[str, Text], space: str = "") -> Lines:
    lines = []
    for key, text in labels.items():
        lines += _put_under(f"{space}{scalar(key)}:", text, space)
    return lines


def _put_under(head: str, text: Text, space: str) -> Lines:
    """A text under its key or dash, one for each choice."""
    first, *others = go_template.alternatives(text)
    if not others:
        return [f"{head} {go_template.yaml(text)}"]
    if len(others) == 1 and (word := go_template.choice(first, others[0])):
        return [f"{head} {hole(word)}"]
    lines = [f"{space}{{{{- if {first[0]} }}}}", *_put_under(head, first[1], space)]
    for case, chosen in others:
        lines.append(f"{space}{{{{- else if {case} }}}}" if case else f"{space}{{{{- else }}}}")
        lines += _put_under(head, chosen, space)
    return [*lines, f"{space}{{{{- end }}}}"]


def _entries(env: tuple[Env, ...], space: str) -> Lines:
    """Neighbours with the same condition stand in one block."""
    lines = []
    for when, entries in groupby(env, key=lambda entry: condition(entry.when)):
        inner = []
        for entry in entries:
            inner += [f"{space}- name: {entry.name}", *_value(entry, space + "  ")]
        lines += block(when, inner, space)
    return lines


def _value(entry: Env, space: str) -> Lines:
    match entry.value:
        case ConfigKey(config, key):
            return [
                f"{space}valueFrom:",
                f"{space}  configMapKeyRef:",
                f"{space}    name: {_object_name(config)}",
                *_put_under(f"{space}    key:", key, f"{space}    "),
            ]
        case PodField(path):
            return [f"{space}valueFrom: {{fieldRef: {{fieldPath: {path}}}}}"]
        case _:
            return _put_under(f"{space}value:", entry.value, space)


def _object_name(name: str) -> str:
    return hole(f'include "chartgen.name" (merge (dict "name" {dumps(name)}) .)')


def _words(words: tuple[Text | Words | Only, ...], space: str) -> Lines:
    lines = []
    for word in words:
        match word:
            case Words(name):
                lines += [
                    f'{space}{{{{- range include "chartgen.{name}" . | fromJsonArray }}}}',
                    f"{space}- {hole('toJson .')}",
                    f"{space}{{{{- end }}}}",
                ]
            case Only(part, when):
                inner = [
                    line
                    for item in cast(list[Tree], part)
                    for line in _tree(f"{space}-", item, space)
                ]
                lines += block(condition(when), inner, space)
            case _:
                lines += _put_under(f"{space}-", word, space)
    return lines


def _fields(fields: Mapping[str, Tree], space: str) -> Lines:
    return [
        line
        for key, value in fields.items()
        for line in _tree(f"{space}{scalar(key)}:", value, space)
    ]


def _tree(head: str, tree: Tree, space: str) -> Lines:
    """Kubernetes fields under their key or dash; a text that is empty at install is left out."""
    if isinstance(tree, Only):
        return block(condition(tree.when), _tree(head, tree.part, space), space)
    match tree:
        case Port():
            return [f"{head} {hole(go_template.expression(tree))}"]
        case tuple():
            return _optional(head, cast(Text, tree), space)
        case list() if all(isinstance(item, str) for item in tree):
            return [f"{head} {_flow(tuple((str(item),) for item in tree))}"]
        case list():
            items = [line for item in tree for line in _tree(f"{space}  -", item, f"{space}  ")]
            return [head, *items] if items else [f"{head} []"]
        case Mapping():
            return _mapping(head, tree, space)
        case str():
            return [f"{head} {go_template.yaml((tree,))}"]
        case _:
            return [f"{head} {scalar(tree)}"]


def _mapping(head: str, fields: Mapping[str, Tree], space: str) -> Lines:
    """Fields under their key or dash; on one line, if they fit and no condition is among them."""
    lines = _fields(fields, f"{space}  ")
    level = len(space) + 2
    if all(line[level] != " " and not line.lstrip().startswith("{{") for line in lines):
        flow = f"{head} {{{', '.join(line.lstrip() for line in lines)}}}"
        if len(flow) <= _WIDTH:
            return [flow]
    return [head, *lines]


def _optional(head: str, text: Text, space: str) -> Lines:
    if all(isinstance(part, str) for part in text):
        return [f"{head} {go_template.yaml(text)}"]
    return [
        f"{space}{{{{- with {go_template.string(text)} }}}}",
        f"{head} {hole('toJson (toString .)')}",
        f"{space}{{{{- end }}}}",
    ]


def _volumes(role: RolePlan) -> Lines:
    """The volumes that the framework adds, and where they are mounted."""
    added: list[tuple[Mount | Volume, str]] = [
        (mount, condition(mount.when)) for mount in role.mounts
    ]
    if role.start and role.start.mount:
        added.append((role.start.mount, _STARTS))
    added += [(volume, condition(volume.when)) for volume in role.volumes]
    if not added:
        return []
    conditions = {when for _, when in added}
    # One condition stands around both lists.
    around = conditions.pop() if len(conditions) == 1 else ""
    volumes, mounts = ["volumes:"], ["volumeMounts:"]
    for volume, own in added:
        when = "" if around else own
        volumes += block(when, _volume(volume), "  ")
        name = volume.volume if isinstance(volume, Mount) else volume.name
        mounts += block(when, [f"  - {{name: {name}, mountPath: {volume.path}}}"], "  ")
    return block(around, [*volumes, *mounts], "")


def _volume(volume: Mount | Volume) -> Lines:
    if isinstance(volume, Mount):
        source = f"configMap: {{name: {_object_name(volume.config)}}}"
        return [f"  - {{name: {volume.volume}, {source}}}"]
    return [f"  - name: {volume.name}", *_fields(volume.source, "    ")]


def _wait(wait: Wait) -> Lines:
    return block(
        condition(wait.when),
        [f"  - name: {wait.name}", "    env:", *_entries(wait.env, "      ")],
        "  ",
    )


def _configs(plan: Plan) -> Lines:
    lines: Lines = []
    for config in plan.configs:
        when = (
            f'include "chartgen.starts" (dict "root" .root "role" {dumps(config.start_of)})'
            if config.start_of
            else ""
        )
        if config.option:
            when = go_template.variable(config.option)
        when = when or condition(config.when)
        lines += block(when, [f"- name: {config.name}", "  data:", *_data(config)], "")
    return lines


def _data(config: Config) -> Iterator[str]:
    if config.option:
        yield f"    {{{{- range $key, $text := {go_template.variable(config.option)} }}}}"
        text = hole('include "chartgen.text" $text | toJson')
        yield f"    {hole('toJson $key')}: {text}"
        yield "    {{- end }}"
    for key, value in config.data.items():
        if isinstance(value, ShippedFile):
            text = hole(f'.root.Files.Get "files/{value.name}" | toJson')
            yield from block(condition(value.when), [f"    {scalar(key)}: {text}"], "    ")
        else:
            yield from _put_under(f"    {scalar(key)}:", value, "    ")


def _rules(plan: Plan) -> Lines:
    lines: Lines = []
    for rule in plan.access_rules:
        allowed = {
            "apiGroups": [rule.group],
            "resources": list(rule.resources),
            "verbs": list(rule.verbs),
        }
        first, *others = mapping(allowed)
        lines += block(condition(rule.when), [f"- {first}", *(f"  {line}" for line in others)], "")
    return lines


def _services(plan: Plan) -> Lines:
    lines: Lines = []
    for service in plan.services:
        entry = [
            f"- name: {service.name}",
            f"  role: {service.role}",
            *_put_under("  type:", service.type, "  "),
            f"  about: {scalar(service.about)}",
        ]
        lines += block(condition(service.when), entry, "")
    return lines
