"""What a framework adds, as one template of the chart: ordinary YAML with holes.

Whoever asks where a variable or an argument comes from opens this file, and no other.
"""

from collections.abc import Iterator, Mapping, Set
from itertools import groupby
from json import dumps

from chartgen.chart import go_template
from chartgen.chart.framework_file.layout import STARTS, WIDTH, Lines, define, wrap
from chartgen.chart.go_template import block, condition, hole
from chartgen.job.model import Job
from chartgen.plan.late import Only, Option, Peers, Port, ShippedFile, Text, Tree, Words
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
from chartgen.startup.typing import Any, cast
from chartgen.syntax.yaml.writer import mapping, scalar

# The templates of a job, beside one for each role.
JOB_TEMPLATES = (
    *("plan", "configs", "tensorboardLabels"),
    *("rules", "services", "unmanaged", "lockName", "broughtKeys"),
)

_ALWAYS_USED = ("configs", "tensorboardLabels")


_MOST_FILES = 1_000  # that are kept
_files: dict[tuple[int, ...], tuple[Plan, str]] = {}  # many jobs share a plan, and their counts


def framework_file(job: Job, plan: Plan) -> str:
    """The templates of this framework that this job needs, for its roles."""
    key = (id(plan), *(job.replicas(role.name) for role in plan.roles))
    known = _files.get(key)
    if known is None or known[0] is not plan:
        if len(_files) >= _MOST_FILES:
            _files.clear()
        known = _files[key] = (plan, print_file(job, plan))
    return known[1]


def print_file(
    job: Job, plan: Plan, *, complete: bool = False, shared: Set[str] = frozenset()
) -> str:
    """The templates of this framework, for this job's roles.

    If complete, with those that it does not need; those of roles that are shared, of a library,
    are called and not repeated.
    """
    title = plan.title
    head = f"What {title} adds to this job: YAML with holes that Helm fills in. First, the facts."
    templates = [define("plan", head, list(_facts(job, plan)))]
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
        ("broughtKeys", "The Secret with ssh keys, if it is brought.", _keys(plan), ""),
    ):
        if body:
            templates.append(define(name, about, body))
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


def _keys(plan: Plan) -> Lines:
    return _line((Option(plan.ssh_keys),)) if plan.ssh_keys else []


def _facts(job: Job, plan: Plan) -> Iterator[str]:
    """What does not depend on values, a line each."""
    yield f"framework: {scalar(plan.title)}"
    decides = {"role": plan.completion_role, "all": plan.completion == "all"}
    if plan.completion == "any":
        decides["any"] = True
    yield f"decides: {_flow_mapping(decides)}"
    yield f"peersHint: {scalar(plan.peers_hint)}"
    if plan.notation:
        yield "notation: true"
    yield "roles:"
    for role in plan.roles:
        facts = _flow_mapping(_role_facts(role, job.replicas(role.name)))
        yield from wrap(f"  {role.name}: {facts}", "    ")
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
        "watches": role.watches,
        "rescalable": role.rescalable,
        "serves": role.serves,
        "meets": role.meets,
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
        if len(_printed) >= _MOST_FILES:
            _printed.clear()
        _printed[key] = _role(role)
    return _printed[key]


def _role(role: RolePlan) -> str:
    sections = {
        "env": _entries(role.env, "  "),
        "args": _words(role.args, "  "),
        "fields": _fields(role.fields, "  "),
        "pod": _fields(role.pod, "  "),
    }
    body = [*_command(role), *_role_labels(role.labels)]
    for name, lines in sections.items():
        if lines:
            body += [f"{name}:", *lines]
    body += _volumes(role)
    if role.waits:
        body.append("waits:")
        for wait in role.waits:
            body += _wait(wait)
    about = f"What it adds to the replicas of {role.name}."
    return define(f"role.{role.name}", about, body or ["{}"])


def _command(role: RolePlan) -> Lines:
    own = wrap(f"command: {_flow(role.command)}", "  ") if role.command else []
    if role.start is None:
        return own
    return block(STARTS, wrap(f"command: {_flow(role.start.command)}", "  "), "", own)


def _flow(words: tuple[Text, ...]) -> str:
    return f"[{', '.join(map(go_template.yaml, words))}]"


def _labels(labels: Mapping[str, Text], space: str = "") -> Lines:
    lines = []
    for key, text in labels.items():
        lines += _put_under(f"{space}{scalar(key)}:", text, space)
    return lines


def _role_labels(labels: Mapping[str, Text]) -> Lines:
    """The labels of a role's pods, in as few lines as they take."""
    if not labels:
        return []
    first, *others = _labels(labels)
    rows = [f"labels: {{{first}"]
    for label in others:
        if len(f"{rows[-1]}, {label},") <= WIDTH:
            rows[-1] += f", {label}"
        else:
            rows[-1] += ","
            rows.append(f"  {label}")
    rows[-1] += "}"
    if len(others) + 1 > len(labels) or max(map(len, rows)) > WIDTH:  # one has alternatives
        return ["labels:", *_labels(labels, "  ")]
    return rows


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
    """Neighbours with the same condition are in one block."""
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
                inner: Lines = []
                for item in cast(list[Tree], part):
                    inner += _tree(f"{space}-", item, space)
                lines += block(condition(when), inner, space)
            case _:
                lines += _put_under(f"{space}-", word, space)
    return lines


def _fields(fields: Mapping[str, Tree], space: str) -> Lines:
    lines: Lines = []
    for key, value in fields.items():
        lines += _tree(f"{space}{scalar(key)}:", value, space)
    return lines


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
            items: Lines = []
            for item in tree:
                items += _tree(f"{space}  -", item, f"{space}  ")
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
        if len(flow) <= WIDTH:
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
        added.append((role.start.mount, STARTS))
    added += [(volume, condition(volume.when)) for volume in role.volumes]
    if not added:
        return []
    conditions = {when for _, when in added}
    # One condition is around both lists.
    around = conditions.pop() if len(conditions) == 1 else ""
    volumes, mounts = ["volumes:"], ["volumeMounts:"]
    for volume, own in added:
        when = "" if around else own
        volumes += block(when, _volume(volume), "  ")
        name = volume.volume if isinstance(volume, Mount) else volume.name
        path = volume.path if isinstance(volume.path, str) else go_template.yaml((volume.path,))
        mounts += block(when, [f"  - {{name: {name}, mountPath: {path}}}"], "  ")
    return block(around, [*volumes, *mounts], "")


def _volume(volume: Mount | Volume) -> Lines:
    if isinstance(volume, Mount):
        mode = "" if volume.mode is None else f", defaultMode: {volume.mode}"
        source = f"configMap: {{name: {_object_name(volume.config)}{mode}}}"
        return [f"  - {{name: {volume.volume}, {source}}}"]
    return [f"  - name: {volume.name}", *_fields(volume.source, "    ")]


def _wait(wait: Wait) -> Lines:
    lines = [f"  - name: {wait.name}"]
    if wait.env:
        lines += ["    env:", *_entries(wait.env, "      ")]
    if wait.mount:
        mount = f"{{name: {wait.mount.volume}, mountPath: {wait.mount.path}}}"
        lines += [f"    hosts: {wait.hosts}", f"    volumeMounts: [{mount}]"]
    return block(condition(wait.when), lines, "  ")


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
        lines += block(when, [f"- name: {config.name}", "  data:", *_data(config, plan)], "")
    return lines


def _data(config: Config, plan: Plan) -> Iterator[str]:
    if config.option:
        yield f"    {{{{- range $key, $text := {go_template.variable(config.option)} }}}}"
        text = hole('include "chartgen.text" $text | toJson')
        if plan.notation:
            yield f'    {{{{- $who := printf "{config.option}.%s" $key }}}}'
            text = 'dict "text" (include "chartgen.text" $text) "who" $who'
            text = hole(f'include "chartgen.fill" (merge ({text}) $) | toJson')
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
