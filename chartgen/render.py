"""The jinja2 environment: it decides a chart's structure, and turns late values into Go template."""

from functools import cache
from typing import TYPE_CHECKING, Any

from chartgen import resources
from chartgen.plan import (
    ConfigKey,
    Count,
    Env,
    Host,
    JobName,
    Ordinal,
    Part,
    Peers,
    Pick,
    Port,
    RuntimeId,
    ShippedFile,
    Text,
)

if TYPE_CHECKING:
    from jinja2 import Environment


def render(name: str, **holes: Any) -> str:
    """The text of a template in charts/, with its holes filled."""
    return _environment().get_template(name).render(**holes)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FunctionLoader, StrictUndefined  # costs half a cold start, so only when needed

    environment = Environment(
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<%=",
        variable_end_string="%>",
        comment_start_string="<%#",
        comment_end_string="%>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  (nothing here is HTML)
        undefined=StrictUndefined,
        loader=FunctionLoader(lambda name: resources.text(f"charts/{name}")),
    )
    environment.filters.update(go=go, env=_env, config=_config_name, data=_data, line=_line, code=_code)
    return environment


def go(text: Text) -> str:
    """A text with late parts as a YAML scalar in which Go template fills in what is known only at install."""
    return "'" + "".join(_part(part) for part in text) + "'"


def _part(part: Part) -> str:
    match part:
        case str():
            return part.replace("'", "''")
        case Ordinal():
            return "{{ .index }}"
        case RuntimeId():
            return "{{ .id }}"
        case JobName():
            return "{{ .root.Chart.Name }}"
        case Count(role):
            return f'{{{{ include "chartgen.count" (dict "root" .root "role" "{role}") }}}}'
        case Port(role):
            return f'{{{{ include "chartgen.port" (dict "root" .root "role" "{role}") }}}}'
        case Host():
            return _host(part)
        case Peers(roles, form):
            names = " ".join(f'"{role}"' for role in roles)
            arguments = f'"root" .root "id" .id "brief" .brief "roles" (list {names}) "form" "{form}"'
            return f'{{{{ include "chartgen.peers" (dict {arguments}) }}}}'
        case Pick():
            return _pick(part)


def _host(host: Host) -> str:
    index = ".index" if host.number is None else str(host.number)
    arguments = f'"root" .root "id" .id "role" "{host.role}" "index" {index}'
    name = f'{{{{ include "chartgen.replicaName" (dict {arguments}) }}}}'
    if not host.port:
        return name
    return f"{name}:{{{{ int .spec.port }}}}" if host.number is None else f"{name}:{_part(Port(host.role))}"


def _pick(pick: Pick) -> str:
    (_, default), *others = pick.cases
    tests = "".join(
        f'{{{{ {"else " if number else ""}if eq .root.Values.{pick.option} "{case}" }}}}{"".join(map(_part, text))}'
        for number, (case, text) in enumerate(others)
    )
    return f"{tests}{{{{ else }}}}{''.join(map(_part, default))}{{{{ end }}}}"


def _env(env: Env) -> str:
    """An env entry in flow style."""
    if isinstance(env.value, ConfigKey):
        reference = f"{{name: {_config_name(env.value.config)}, key: {go(env.value.key)}}}"
        return f"- {{name: {env.name}, valueFrom: {{configMapKeyRef: {reference}}}}}"
    return f"- {{name: {env.name}, value: {go(env.value)}}}"


def _config_name(config: str) -> str:
    return f"""'{{{{ include "chartgen.name" (dict "root" .root "id" .id "name" "{config}") }}}}'"""


def _data(value: Text | ShippedFile) -> str:
    """A config key's value; what has several lines stands as a block."""
    if isinstance(value, ShippedFile):
        return f'|\n  {{{{- .root.Files.Get "files/{value.name}" | nindent 2 }}}}'
    if any(isinstance(part, Peers) and part.form == "lines" for part in value):
        action = "".join(map(_part, value)).removeprefix("{{ ").removesuffix(" }}")
        return f"|-\n  {{{{- {action} | nindent 2 }}}}"
    return go(value)


def _line(text: str) -> str:
    """A person's text on one line of Markdown, where none of it can end a table's cell or start something else."""
    flat = " ".join(text.split()).removesuffix(".")
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>#|!" else sign for sign in flat)


def _code(text: str) -> str:
    """A text as code in a table's cell, with a fence longer than any in it."""
    if not text:
        return ""
    fence = "`"
    while fence in text:
        fence += "`"
    space = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{space}{text}{space}{fence}".replace("|", "\\|")
