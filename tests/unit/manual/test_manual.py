"""The manual: every topic has a page, pages are true, and similar topics are suggested."""

import re
import shlex
from collections.abc import Iterator

import pytest
import yaml

from chartgen import frameworks, manual, pipeline, resources
from chartgen.checks.rules import RULES
from chartgen.cli import dispatch
from chartgen.cli.commands import COMMANDS
from chartgen.devices import catalog
from chartgen.errors import UsageError
from chartgen.manual import base, devices, fields, guides, rules
from chartgen.native import FORMATS
from chartgen.verify import STAGES
from tests.support.command_line import Typist
from tests.support.paths import CORPUS, ROOT

TOPICS = [(kind, name) for kind in manual.KINDS for name in kind.names()]
PROSE = [(kind, name) for kind, name in TOPICS if kind.name in ("guide", "framework", "format")]
PAGES = ROOT / "chartgen" / "manual" / "pages"


def text(kind: base.Kind, name: str) -> str:
    return "\n".join(kind.page(name)) + "\n"


@pytest.mark.unmeasured
@pytest.mark.parametrize("kind", manual.KINDS, ids=lambda kind: kind.name)
def test_every_topic_has_a_page_by_its_kind_and_by_its_name(kind: base.Kind) -> None:
    for name in kind.names():
        page = manual.explain_as(kind.name, name)
        assert len(page.lines) > 2
        assert kind.verbatim or [line for line in page.lines if line != line.rstrip()] == []
        first = next(other for other in manual.KINDS if other.knows(name))
        assert manual.explain(name) == manual.explain_as(first.name, name)


KINDS_OF_VALUES = {
    str: ("text", "one of "), bool: ("true or false",), int: ("whole number",),
    dict: ("object", "map of "), list: ("list of text", "list of objects"),
}  # fmt: skip


@pytest.mark.parametrize("name", fields.names()[1:])
def test_what_a_field_may_be_fits_its_examples(name: str) -> None:
    head, *lines = fields.page(name)
    _, _, kinds = head.partition(": ")
    example = "\n".join(lines).partition("\nExample:\n")[2].partition("\nFields:\n")[0]
    for value in yaml.safe_load(example).values():
        expected = KINDS_OF_VALUES[type(value)]
        assert any(kind.startswith(expected) for kind in kinds.split(", or ")), head


def test_fields_that_are_refused_say_why_and_are_not_listed(typed: Typist) -> None:
    listed = typed("explain", "field", "service").out
    assert re.search(r"\n  ipFamilies +list of one of IPv4, IPv6\n", listed)
    assert "clusterIP" not in listed
    out = typed("explain", "field", "service.clusterIP").out
    assert out.startswith("job.service.clusterIP: not accepted\n")
    assert "Expected: no such field, because replicas find each other by" in out


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_explained_by_the_module_that_adopts_it(typed: Typist, name: str) -> None:
    code, out, err = typed("explain", "format", name)
    assert (code, err) == (0, "")
    assert "chartgen convert " in out
    assert f" {FORMATS[name].framework}\n" in out.partition("\nSee also\n")[2]


def test_a_name_in_two_groups_is_the_framework_and_says_how_to_see_the_other(typed: Typist) -> None:
    out = typed("explain", "mars").out
    assert out.startswith((frameworks.framework("mars").__doc__ or "").rstrip())
    also = out.partition("\nSee also\n")[2].splitlines()
    assert "  chartgen explain format mars" in also
    assert "  chartgen explain field mars" in also


def test_an_example_is_not_mixed_with_anything(typed: Typist) -> None:
    """`gpu` is also a field; what says so goes to stderr, because the example becomes a file."""
    code, out, err = typed("explain", "gpu")
    assert (code, err) == (0, "see also: chartgen explain field gpu\n")
    assert out == (ROOT / "values/jobs/gpu.yaml").read_text("utf-8")


def test_every_field_of_the_project_file_is_in_the_manual() -> None:
    fields = resources.data("schemas/project.schema.json")["properties"]
    described = {"project": fields, "gitops": fields["gitops"]["properties"]}
    for page, names in described.items():
        said = resources.text(f"pages/{page}.txt")
        missing = [
            name for name in names if not re.search(rf"(^ +|`gitops\.){name}[:`]", said, re.M)
        ]
        assert missing == [], page


def test_without_a_topic_the_table_of_contents_is_printed(typed: Typist) -> None:
    code, out, err = typed("explain")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) <= 90, "at most two screens"
    assert max(map(len, lines)) <= 100
    for kind in manual.KINDS:
        assert f"({kind.name})" in out
    for kind, name in TOPICS:
        assert kind.name == "rule" or re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", out)


@pytest.mark.parametrize("kind", manual.KINDS, ids=lambda kind: kind.name)
def test_every_kind_is_listed_by_its_plural(typed: Typist, kind: base.Kind) -> None:
    code, out, err = typed("list", kind.plural)
    assert (code, err) == (0, "")
    column = "role" if kind.name == "role" else "name"  # roles are listed by their frameworks
    listed = {row[column] for row in kind.rows()} - {"any"}  # a custom job names its own
    assert listed == {*kind.names()} - {fields.ROOT}
    if not any(other.knows(kind.plural) for other in manual.KINDS):
        assert typed("explain", kind.plural) == (0, out, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("tensorflo",),
            "there is nothing named 'tensorflo' to explain; did you mean 'tensorflow'?",
        ),
        (
            ("angel-sumbit",),
            "there is nothing named 'angel-sumbit' to explain; did you mean 'angel-sub",
        ),
        (
            ("env-to-long",),
            "there is nothing named 'env-to-long' to explain; did you mean 'env-too-long'",
        ),
        (
            ("escalation",),
            "there is nothing named 'escalation' to explain; did you mean 'container-priv",
        ),
        (("q",), "there is nothing named 'q' to explain; `chartgen explain` lists the topics"),
        (("cloud", "gkee"), "there is no cloud 'gkee'; did you mean 'gke'?"),
        (("rule", "zebra"), "there is no rule 'zebra'; `chartgen list rules` lists what there is"),
        (("formt", "mars"), "there is no kind of topic 'formt'; did you mean 'format'?"),
        (("job", "gke"), "there is no kind of topic 'job'; known: guide, framework, "),
    ],
)
def test_an_unknown_topic_is_answered_with_similar_ones(
    typed: Typist, words: tuple[str, ...], message: str
) -> None:
    code, out, err = typed("explain", *words)
    assert (code, out) == (2, "")
    assert err.startswith(f"chartgen: {message}")


def test_completion_offers_every_topic(typed: Typist) -> None:
    offered = manual.topics()
    assert len(offered) == len(set(offered))
    script = typed("completion", "bash").out
    words = re.split(r"\\n|'", script.partition("'explain '*) words=")[2].partition(" ;;")[0])
    for kind, name in TOPICS:
        topic = fields.qualify(name) if kind is fields.KIND else name
        assert topic in offered
        assert {topic, kind.name} <= {*words}


def test_every_text_is_a_guide_and_its_first_line_says_what_it_is_about() -> None:
    assert {path.stem for path in PAGES.iterdir()} == guides.GUIDES.keys()
    for name in guides.GUIDES:
        lines = (PAGES / f"{name}.txt").read_text("utf-8").splitlines()
        assert re.fullmatch(r"[A-Z].+: .+\.", lines[0])
        assert max(map(len, lines)) <= base.WIDTH


@pytest.mark.unmeasured
@pytest.mark.parametrize("kind", manual.KINDS, ids=lambda kind: kind.name)
def test_the_lines_of_pages_fit(kind: base.Kind) -> None:
    """Apart from a single word, and from problems, which are shown as `validate` prints them."""
    for name in kind.names():
        page = [*kind.page(name)]
        if kind is rules.KIND and "Example" in page:
            page = page[: page.index("Example")]
        assert [line for line in page if len(line) > base.WIDTH and " " in line.strip()] == []


def test_a_stage_is_explained_by_its_module(typed: Typist) -> None:
    for stage in STAGES:
        assert stage.manual.rstrip() in typed("explain", "stage", stage.name).out
    assert ", with --cluster" in typed("explain", "install").out


# Rules


def test_every_rule_that_has_a_case_shows_it() -> None:
    """With the message as the corpus has it, and the line that it points to."""
    reports = [path.read_text("utf-8") for path in CORPUS.glob("problems/*/expected.txt")]
    shown = 0
    for rule in RULES:
        messages = {
            line for report in reports for line in report.splitlines() if line.endswith(f"({rule})")
        }
        example = text(rules.KIND, rule).partition("\nExample\n")[2].splitlines()
        assert bool(messages) == bool(example), rule
        if example:
            assert example[0].removeprefix("  ") in messages
            shown += any(re.fullmatch(r" +\| +\^", line) for line in example)
    assert shown > 100


def test_the_explanation_of_a_rule_in_full(typed: Typist) -> None:
    assert typed("explain", "env-duplicate").out == (
        "env-duplicate\n"
        "\n"
        "A variable is set twice in one container.\n"
        "\n"
        "What to do\n"
        "  Keep one of them.\n"
        "\n"
        "Example\n"
        "  job.yaml:9:9: env 'A' is set twice; expected it once (env-duplicate)\n"
        "      6 |     env:\n"
        "      7 |       - {name: A, value: one}\n"
        "      8 |       - {name: B, value: two}\n"
        "      9 |       - {name: A, value: three}\n"
        "        |         ^\n"
        "\n"
        "See also\n"
        "  chartgen explain problems\n"
    )


def test_an_example_may_be_in_another_encoding_or_about_a_missing_file() -> None:
    assert "f\ufffdr" in text(rules.KIND, "file-encoding")
    assert text(rules.KIND, "file-missing").endswith("no such file (file-missing)\n")


def test_a_rule_of_yamllint_leads_to_its_manual(typed: Typist) -> None:
    assert (
        "#module-yamllint.rules.key_duplicates" in typed("explain", "yamllint-key-duplicates").out
    )


# What pages say is true


def descriptions(page: str) -> Iterator[str]:
    """The job descriptions in a page: indented blocks that start with a name."""
    for block in re.findall(r"^( +)(name: .*\n(?:\1.*\n)+)", page, re.MULTILINE):
        yield re.sub(rf"(?m)^{block[0]}", "", "".join(block))


def commands(page: str) -> Iterator[list[str]]:
    """The chartgen commands of a page: in code spans, and at the end of indented lines."""
    names = "|".join(COMMANDS)
    spans = re.findall(rf"`chartgen ((?:{names})\b[^`]*)`", page)
    lines = re.findall(rf"^  .*?(?<![`\w])chartgen ((?:{names}) [^`\n]*)$", page, re.MULTILINE)
    for command in (*spans, *lines):
        if "..." not in command:
            words = shlex.split(re.split(r" > |  +#|  +| \| ", " ".join(command.split("\n")))[0])
            yield words


def test_the_job_descriptions_of_pages_are_valid() -> None:
    for kind, name in PROSE:
        for description in descriptions(text(kind, name)):
            (document,) = pipeline.read(description.encode(), f"{kind.name} {name}")
            pipeline.check(document)


def test_job_descriptions_and_commands_are_found_in_pages() -> None:
    texts = [*descriptions(text(guides.KIND, "devices")), *descriptions(text(*PROSE[-2]))]
    assert [yaml.safe_load(description)["name"] for description in texts][:1] == ["resnet"]
    assert ["test", "job.yaml"] in [*commands(text(guides.KIND, "testing"))]
    assert ["explain", "gke"] in [*commands(text(guides.KIND, "devices"))]


def shown_commands() -> Iterator[tuple[str, list[str]]]:
    """Every chartgen command that a page, a rule, a message or the README shows."""
    for kind, name in TOPICS:
        if not kind.verbatim:
            for words in commands(text(kind, name)):
                yield f"{kind.name} {name}", words
    for path in (ROOT / "README.md", *sorted((ROOT / "chartgen").rglob("*.py"))):
        source = re.sub(r'"\s*\n\s*f?"', "", path.read_text("utf-8"))
        for span in re.findall(r"`chartgen (explain [a-z][\w.-]*(?: [a-z][\w.-]*)?)`", source):
            yield path.name, span.split()


def check_command(words: list[str]) -> None:
    """The command has these options, and the topics it explains have a page."""
    command, *rest = words
    _, parser = dispatch.load(command)
    try:
        args = parser.read(rest)
    except UsageError as error:
        if "arguments are required" in str(error):  # it is mentioned, not shown in full
            return
        raise
    if command == "explain" and args.topic and not any(word.isupper() for word in rest):
        assert manual.explain_as(args.topic, args.name) if args.name else manual.explain(args.topic)


@pytest.mark.unmeasured
def test_commands_that_the_manual_shows_exist() -> None:
    wrong = []
    for where, words in shown_commands():
        try:
            check_command(words)
        except UsageError as error:
            wrong.append(f"{where}: chartgen {shlex.join(words)}: {error}")
    assert wrong == []


def test_no_page_shows_a_command_that_waits_forever() -> None:
    """`kubectl wait` for the completion of a Job does not notice that the Job has failed.

    Pages of formats show it only as what people typed before.
    """
    waits = []
    for kind, name in TOPICS:
        lines = text(kind, name).splitlines()
        waits += [line for line in lines if re.search(r"\bkubectl (.* )?wait ", line)]
    assert waits
    assert [line for line in waits if not re.match(r" +wait +before ", line)] == []


def test_a_command_that_does_not_exist_is_noticed() -> None:
    for words in (["explain", "nothing-like-it"], ["render", "x.yaml", "--nope"]):
        with pytest.raises(UsageError):
            check_command(words)


def test_the_request_that_the_page_of_a_device_shows_is_valid() -> None:
    """On each cloud that has the device; a slice is only requested by its model."""
    without = []
    for name in devices.accelerators():
        page = "\n".join(manual.explain_as("accelerator", name).lines)
        request = re.search(r"^Example: `(.*)`$", page, re.MULTILINE)
        if not request:
            without.append(name)
            continue
        for cloud in catalog.names("cloud"):
            if name in catalog.list_types(catalog.data("cloud", cloud)):
                head = f"name: j, framework: tensorflow, image: i, cloud: {cloud}"
                role = f"{{{request[1]}, resources: {{limits: {{memory: 64Gi}}}}}}"
                text = f"{{{head}, roles: {{chief: {role}}}}}"
                (document,) = pipeline.read(text.encode(), "j.yaml")
                pipeline.check(document)
    assert without == ["tpu"]
