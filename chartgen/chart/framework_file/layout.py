"""How templates are laid out: a name for what they repeat, and no line or file that is too long."""

import re
from collections.abc import Iterator
from functools import lru_cache

from chartgen.chart import go_template

Lines = list[str]

# Compiled at their first use, if there is one: few jobs have all that they find.
_STRING = r'"(?:[^"\\]|\\.)*"'
_ACTION = rf"\{{\{{(?:{_STRING}|[^\"])*?\}}\}}"
_OPTION = r"\$([a-z]\w*)\."
_CHOSEN = r'eq \(toString \$(\w+)\.\w+\) "([a-z]\w*)"'
_REQUESTED = r'include "chartgen\.requested" \(dict "spec" \.spec "resource" "(\w+)"[^)]*\)'
_OBJECT_NAME = r'include "chartgen\.name" \(merge \(dict "name" "([a-z-]+)"\) \.\)'
_ENTRY = (
    r"(?m)^( *)- name: (\w+)\n\1  (?:"
    r"valueFrom:\n\1    configMapKeyRef:\n\1      name: (.+)\n\1      key: (.+)"
    r"|(value(?:From)?: .+))$"
)
_SINGLE = r"(?m)^(volumes|volumeMounts):\n  - (\{.*\})$(?!\n  )"
_LONG = r"(?m)^(?=.{101})( *)([^'\n]+?) (\((?:merge \()?dict .*)$"
_LONGER = r'(?m)^(?=.{101})( *)([^\'\n]+?) ("between" .*)$'
_BETWEEN = r"\n\n(?=\{\{/\*)"  # two templates
_ROLE = r'define "chartgen\.(?:\w+\.)?role\.(\w+)"'
LONGEST = 150  # lines of a file that somebody can read
WIDTH = 100  # of a line, before names of templates begin with the chart's
# A role without a command of its own runs the default one.
STARTS = 'not (or (hasKey .spec "command") (hasKey .spec "args"))'


def by_role(framework: str, text: str) -> Iterator[tuple[str, str]]:
    """The templates of a framework as files: one, or one for each role if that would be long."""
    if text.count("\n") <= LONGEST:
        yield f"_{framework}.tpl", text
        return
    others = []
    for template in re.split(_BETWEEN, text.rstrip("\n")):
        if role := re.search(_ROLE, template):
            yield f"_{framework}_{role[1]}.tpl", f"{template}\n"
        else:
            others.append(template)
    if others:
        yield f"_{framework}.tpl", "\n\n".join(others) + "\n"


def define(name: str, about: str, body: Lines) -> str:
    """A template of the chart, by its name, with a comment that says what it is."""
    return _print(name, about, "\n".join(body))


@lru_cache(1000)  # most jobs of a framework share them
def _print(name: str, about: str, whole: str) -> str:
    head = [f"{{{{/* {about} */}}}}", f'{{{{- define "chartgen.{name}" -}}}}']
    body = _name_repeated(whole)
    options = []
    for group in _groups(body):
        values = f".root.Values.{group} | default dict"
        (first, *others) = [line for line in body if f"${group}." in line]
        if first.startswith("{{- $") and first.count(f"${group}.") == 1 and not others:
            # Only another variable is made of it.
            body = [line.replace(f"${group}.", f"({values}).") for line in body]
        else:
            options.append(f"{{{{- ${group} := {values} -}}}}")
    return "\n".join([*head, *options, *_fold(body), "{{- end -}}"])


def _name_repeated(whole: str) -> Lines:
    """The lines of a text, with a variable for what is in several places."""
    heads = []
    for expression, name in _names(whole).items():
        if whole.count(expression) > 1:
            heads.append(f"{{{{- ${name} := {expression} -}}}}")
            whole = whole.replace(f"({expression})", f"${name}").replace(expression, f"${name}")
    return [*heads, *whole.split("\n")]


def _fold(body: Lines) -> Lines:
    """The same with no line that is too long, and not more lines than a reader needs.

    Variables of the environment and lists of one item are on one line each. A line with a quoted
    text is not for us to break.
    """

    def fold(entry: re.Match[str]) -> str:
        space, name, config, key, value = entry.groups()
        forms = []
        if config:
            reference = f"configMapKeyRef: {{name: {config}, key: {key}}}"
            value = f"valueFrom: {{{reference}}}"
            forms.append(f"{space}- name: {name}\n{space}  valueFrom:\n{space}    {reference}")
        forms += [f"{space}- name: {name}\n{space}  {value}", f"{space}- {{name: {name}, {value}}}"]
        fitting = [form for form in forms if max(map(len, form.split("\n"))) <= WIDTH]
        return fitting[-1] if fitting else entry[0]

    def join(single: re.Match[str]) -> str:
        joined = f"{single[1]}: [{single[2]}]"
        return joined if len(joined) <= WIDTH else single[0]

    whole = "\n".join(body)
    if "- name: " in whole:
        whole = re.sub(_ENTRY, fold, whole)
    if "volume" in whole:
        whole = re.sub(_SINGLE, join, whole)
    folded = whole.split("\n")
    for long in (_LONG, _LONGER):
        if max(map(len, folded)) > WIDTH:
            folded = re.sub(long, r"\1\2\n\1  \3", "\n".join(folded)).split("\n")
    return folded


def _names(text: str) -> dict[str, str]:
    """The expressions in a text that have a name: the option's value, or what they are about."""
    named = {"starts": STARTS, "requests": go_template.REQUESTS}
    groups = set()
    for match in _find("eq (toString", _CHOSEN, text):
        named.setdefault(match[2], match[0])  # of two options with one value, only the first
        groups.add(match[1])
    for match in _find("chartgen.requested", _REQUESTED, text):
        named.setdefault(match[1], match[0])
    for match in _find("chartgen.name", _OBJECT_NAME, text):
        named.setdefault(_variable(match[1]), match[0])
    return {expression: name for name, expression in named.items() if name not in groups}


def _find(word: str, pattern: str, text: str) -> Iterator[re.Match[str]]:
    """What matches a pattern; only a text with this word does."""
    return re.finditer(pattern, text) if word in text else iter(())


def _variable(name: str) -> str:
    """The variable for the name of an object: "cm-ps" is cmPs."""
    first, *others = name.split("-")
    return first + "".join(map(str.capitalize, others))


def _groups(body: Lines) -> list[str]:
    """The groups of options that some lines use; what is in a string is not a variable."""
    groups: dict[str, None] = {}
    for line in body:
        if "$" in line:
            for action in re.findall(_ACTION, line):
                groups |= dict.fromkeys(re.findall(_OPTION, re.sub(_STRING, "", action)))
    return [*groups]


def wrap(line: str, space: str) -> Lines:
    """A list or mapping on one line as several, if it is too long."""
    lines: Lines = []
    while len(line) > WIDTH:
        cut = line.rfind(", ", len(space), WIDTH) + 1 or line.find(", ", WIDTH) + 1
        if not cut:  # one item, which is as long as it is
            break
        lines.append(line[:cut])
        line = f"{space}{line[cut:].lstrip()}"
    return [*lines, line]
