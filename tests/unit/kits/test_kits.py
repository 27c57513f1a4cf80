"""Kits: what they add to jobs and charts, what they may not do, and what they say then."""

import json
import textwrap
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chartgen import pipeline, resources
from chartgen.chart import ChartOptions
from chartgen.errors import InputError, UsageError
from chartgen.kits import find, model
from chartgen.manual import guides
from chartgen.scaffold import sandbox
from chartgen.syntax.yaml.writer import scalar
from tests.support.command_line import Typist
from tests.support.examples import examples
from tests.support.kits import CONFIG_MAP, JOB, KIT, QUEUE, checked, kit, write
from tests.support.paths import ROOT

FULL, THIN = ChartOptions(), ChartOptions(layout="thin")
FILE = "templates/kit-platform-facts.yaml"


def printed(template: str, job: str = JOB, kit_yaml: str = KIT + QUEUE) -> str:
    """What a template becomes in the chart."""
    own_kit = kit({"kit.yaml": kit_yaml, "templates/facts.yaml.j2": CONFIG_MAP + template})
    return pipeline.render(checked([own_kit], job))[FILE].partition("data:\n")[2]


@pytest.mark.parametrize(
    ("template", "go"),
    [
        ("<%= values.platform.queue %>", "{{ $.Values.platform.queue | toJson }}"),
        (
            "<%= values.image %>",
            '{{ include "mnist.imageText" (dict "root" $ "image" '
            '($.Values.image | default "") "where" "image") | toJson }}',
        ),
        (
            "<%= values.roles.worker.image %>",
            '{{ include "mnist.imageText" (dict "root" $ "image" ($.Values.roles.worker.image'
            ' | default $.Values.image | default "") "where" "roles.worker.image") | toJson }}',
        ),
        (
            "<%= values.tensorboard.logDir %>",
            "{{ ($.Values.tensorboard | default dict).logDir | toJson }}",
        ),
        ("<%= values.env['A-B'] %>", '{{ (index ($.Values.env | default dict) "A-B") | toJson }}'),
        (
            "<%= text('q-', values.platform.queue, 1) %>",
            '{{ print "q-" (include "mnist.text" $.Values.platform.queue) "1" | toJson }}',
        ),
        ("<%= job.name %>-<%= job.framework %>", "mnist-tensorflow"),
        ("<%= kit.name | upper %><%= kit.version | scalar %>", 'PLATFORM"1.0.0"'),
        ("<%= roles | map(attribute='name') | join('+') %>", "chief+worker"),
        ("<%= 'a-b' | replace('-', '_') %><%= true %>", "a_btrue"),
        (
            "<%= name('x') %>",
            '{{ (printf "%s-%s" $.Release.Name "x" | trunc 63 | trimSuffix "-") | toJson }}',
        ),
        ("{{ if <%= go(values.platform.queue) %> }}", "{{ if $.Values.platform.queue }}"),
    ],
)
def test_structure_is_data_and_values_are_references(template: str, go: str) -> None:
    assert printed(f"  x: {template}\n") == f"  x: {go}\n"


def test_a_role_has_a_port_or_none() -> None:
    loop = (
        "<% for role in roles if role.port %>\n  <%= role.name %>: <%= role.port %>\n<% endfor %>"
    )
    assert printed(loop) == (
        "  chief: {{ $.Values.roles.chief.port | toJson }}\n"
        "  worker: {{ $.Values.roles.worker.port | toJson }}\n"
    )
    mxnet = (ROOT / "values/jobs/cifar10.yaml").read_text()
    assert printed(loop, mxnet) == "  scheduler: {{ $.Values.roles.scheduler.port | toJson }}\n"


def test_only_calls_of_the_charts_own_templates_are_renamed() -> None:
    assert printed('  x: "chartgen.example.com"\n') == '  x: "chartgen.example.com"\n'
    called = printed('  x: {{ include "chartgen.text" 1 }}\n')
    assert called == '  x: {{ include "mnist.text" 1 }}\n'


def test_all_templates_of_a_kit_share_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "SECONDS", 600)  # however busy the machine is
    comment = f"# {'x' * 2**18}\n"
    files = {f"templates/t{index}.yaml.j2": comment for index in range(9)}
    with pytest.raises(InputError) as caught:
        checked([kit(files)])
    assert {problem.rule for problem in caught.value.problems} == {"template-too-large"}
    assert len(caught.value.problems) < len(files)


def test_a_kit_lies_under_the_job_and_the_last_kit_wins() -> None:
    first = kit({"job.yaml": "labels: {a: one, b: one, c: one}\ntolerations: [{key: one}]\n"}, "a")
    last = {"kit.yaml": KIT.replace("platform\n", "second\n"), "job.yaml": "labels: {b: two}\n"}
    job = checked([first, kit(last, "b")], f"{JOB}labels: {{a: job}}\ntolerations: []\n").job
    assert job.shared["labels"] == {"a": "job", "b": "two", "c": "one"}
    assert job.shared["tolerations"] == []


def test_a_registry_is_put_before_images_that_name_none() -> None:
    own_kit = kit({"job.yaml": "registry: mirror.example.com/team\n"})
    assert checked([own_kit], JOB.replace("registry.example.com/", "")).job.shared["image"] == (
        "mirror.example.com/team/mnist:1.4"
    )
    assert checked([own_kit]).job.shared["image"] == "registry.example.com/mnist:1.4"


@pytest.mark.parametrize("options", [FULL, THIN], ids=["full", "thin"])
def test_what_a_kit_adds_is_in_the_chart(options: ChartOptions) -> None:
    own_kit = kit(
        {
            "kit.yaml": KIT + QUEUE,
            "templates/facts.yaml.j2": CONFIG_MAP + "  queue: <%= values.platform.queue %>\n",
            "templates/none.yaml.j2": "<% if job.framework == 'mxnet' %>\nx: 1\n<% endif %>\n",
            "notes.txt.j2": "The queue is <%= values.platform.queue %>.\n",
            "readme.md.j2": "The queue is <%= values.platform.queue %>.\n",
        }
    )
    files = pipeline.render(checked([own_kit], f"{JOB}platform: {{queue: vision}}\n"), options)
    plain = pipeline.render(pipeline.check(pipeline.read(JOB.encode(), "job.yaml")[0]), options)
    assert files.keys() - plain.keys() == {FILE}
    assert yaml.safe_load(files["values.yaml"])["platform"] == {"queue": "vision"}
    schema = json.loads(files["values.schema.json"])
    assert schema["properties"]["platform"]["properties"]["queue"] == {"type": "string"}
    assert "platform" in schema["required"]
    assert files["README.md"].endswith("\n\nThe queue is `platform.queue`.\n")
    row = '| `platform.queue` | `"vision"` |'  # the README of a thin chart has none
    assert (row in files["README.md"]) == (options is FULL)
    assert files["templates/NOTES.txt"].endswith('.text" $.Values.platform.queue }}.\n')
    annotation = yaml.safe_load(files["Chart.yaml"])["annotations"]["chartgen/kit-platform"]
    assert annotation == f"1.0.0 {own_kit.digest}"


def test_another_kit_is_noticed(typed: Typist) -> None:
    typed.job()
    write(typed.folder / "platform", {"notes.txt.j2": "one\n"})
    assert typed("render", "mnist.yaml", "-o", "charts", "--kit", "platform").code == 0
    assert typed("render", "mnist.yaml", "-o", "charts", "--kit", "platform", "--check").code == 0
    write(typed.folder / "platform", {"templates/parts/unused.j2": "\n"})
    done = typed("render", "mnist.yaml", "-o", "charts", "--kit", "platform", "--check")
    assert (done.code, done.out) == (1, "charts/mnist/Chart.yaml: differs\n")


def test_a_project_names_its_kits_and_makes_charts_again_when_they_change(typed: Typist) -> None:
    (typed.folder / "jobs").mkdir()
    typed.job(file="jobs/mnist.yaml")
    typed.job(text="kits: [platform]\nenvironments: {staging: {}}\n", file="chartgen.yaml")
    values = typed.folder / "environments/staging/mnist.yaml"
    values.parent.mkdir(parents=True)
    values.write_text("platform: {queue: small}\n")
    more = "  level: {type: integer, description: The level., default: 1}\n"
    write(typed.folder / "platform", {"kit.yaml": KIT + QUEUE + more})
    assert typed("render").code == 0
    assert "chartgen/kit-platform" in typed.tree("charts")["mnist/Chart.yaml"]
    assert "queue: small" in typed.tree("charts")["mnist/values-staging.yaml"]
    assert typed("render", "--check").code == 0
    write(typed.folder / "platform", {"kit.yaml": KIT.replace("1.0.0", "1.0.1") + QUEUE + more})
    assert typed("render", "--check").code == 1
    assert "1 written" in typed("render").err
    values.write_text("platform: {queue: 7}\n")
    assert "environments/staging/mnist.yaml:1:19: platform.queue" in typed("validate").out
    assert typed("render", "--kit", "x").code == 2
    for words in (("--kit", "x"), ("--matrix", "lr=1")):
        for command in ("validate", "gitops"):
            done = typed(command, *words)
            assert (done.code, " project " in done.err) == (2, True)
    assert "platform  1.0.1" in typed("list", "kits").out
    typed.job(text="kits: [platform, baseline]\n", file="chartgen.yaml")
    _, *listed = typed("list", "kits", "--kit", "platform/").out.splitlines()
    assert [row.split()[0] for row in listed] == ["baseline", "platform"]
    typed.job(text="kits: [platfrom]\n", file="chartgen.yaml")
    out = typed("validate").out
    assert out.startswith("chartgen.yaml:1:8: there is no kit 'platfrom'")


def test_nothing_is_written_if_a_kit_has_a_problem(typed: Typist) -> None:
    typed.job()
    write(typed.folder / "platform", {"templates/a.yaml.j2": "x: [1\n"})
    done = typed("render", "mnist.yaml", "-o", "charts", "--kit", "platform")
    assert done.code == 1
    assert done.err.startswith("platform/templates/a.yaml.j2:1:1: this prints broken YAML")
    assert "    1 | x: [1\n" in done.err
    assert not (typed.folder / "charts").exists()


def test_a_kit_that_is_not_there(typed: Typist) -> None:
    typed.job()
    done = typed("validate", "mnist.yaml", "--kit", "baselin")
    assert done.code == 2
    assert "there is no kit 'baselin'" in done.err
    assert "did you mean 'baseline'?" in done.err
    with pytest.raises(UsageError):
        find.open_kit("nothing")


def test_a_link_out_of_the_kit_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "platform", {})
    (tmp_path / "secret").write_text("x")
    (folder / "notes.txt.j2").symlink_to(tmp_path / "secret")
    with pytest.raises(InputError) as caught:
        find.open_kit(str(folder))
    assert [problem.rule for problem in caught.value.problems] == ["kit-link"]


def test_a_link_inside_the_kit_is_read(tmp_path: Path) -> None:
    folder = write(tmp_path / "platform", {"templates/parts/x": "text\n"})
    (folder / "notes.txt.j2").symlink_to(folder / "templates/parts/x")
    assert find.open_kit(str(folder)).templates["notes.txt.j2"] == "text\n"


def test_a_kit_that_is_too_large_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "platform", {"notes.txt.j2": "x" * model.LARGEST})
    with pytest.raises(InputError) as caught:
        find.open_kit(str(folder))
    assert [problem.rule for problem in caught.value.problems] == ["kit-too-large"]


def test_hidden_files_are_no_part_of_a_kit(tmp_path: Path) -> None:
    folder = write(tmp_path / "platform", {".git/x": "1", ".swp": "2"})
    assert find.open_kit(str(folder)).digest == kit({}).digest


def test_control_characters_in_templates_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        kit({"notes.txt.j2": "a\x07b"})
    assert str(caught.value).startswith("kit/notes.txt.j2:1:2: ")


def test_a_job_yaml_that_is_no_mapping_is_refused() -> None:
    with pytest.raises(InputError, match=r"kit/job.yaml:1:1: not a mapping"):
        kit({"job.yaml": "- a\n"})


def test_the_names_that_templates_see_are_in_the_manual() -> None:
    page = "\n".join(guides.page("kits"))
    with pytest.raises(InputError) as caught:
        printed("<%= nothing %>")
    hint = caught.value.problems[0].hint
    for name in hint.removeprefix("known here: ").split(", "):
        assert name in page


def test_the_example_in_the_manual_prints_an_object() -> None:
    page = "\n".join(guides.page("kits"))
    block = page.partition("\nAn example\n")[2].partition("\n\n")[0]
    own_kit = kit({"kit.yaml": KIT + QUEUE, "templates/facts.yaml.j2": textwrap.dedent(block)})
    text = pipeline.render(checked([own_kit]))[FILE]
    assert "  worker: {{ print (include" in text
    assert "  queue: {{ $.Values.platform.queue | toJson }}\n" in text


def test_every_file_that_ships_is_part_of_a_kit() -> None:
    assert find.shipped() == ["baseline"]
    for name in find.shipped():
        shipped_kit = find.open_shipped(name)
        assert {path.removeprefix(f"{shipped_kit.folder}/") for path in shipped_kit.texts} == {
            *resources.names(f"charts/kits/{name}")
        }


FRAGMENTS = ("{{", "}}", '{{ fail "x" }}', "<%", "%>", "<%= 1 %>", "{{/*", "*/}}", "\n", '"', "`")
TEXTS = st.lists(st.sampled_from(FRAGMENTS) | st.text("ab{}%<>-: #'\\", max_size=6)).map("".join)


@settings(max_examples=examples(25))
@given(TEXTS, TEXTS)
@example('{{ fail "ran" }}', "<%= 1 / 0 %>")
@example('"}} {{ fail "ran" }}', "'\n---\nkind: Secret")
def test_no_text_of_a_job_or_a_value_becomes_part_of_a_template(text: str, queue: str) -> None:
    """With whatever text: all templates are those of the same job with plain texts."""
    files = {
        "kit.yaml": KIT + QUEUE,
        "templates/facts.yaml.j2": CONFIG_MAP + "  q: <%= text('a', values.platform.queue) %>\n"
        "  e: <%= values.env.TEXT %>\n",
        "notes.txt.j2": "<%= values.platform.queue %> <%= values.env.TEXT %>\n",
        "readme.md.j2": "<%= values.platform.queue %>\n",
    }
    more = "description: {}\nenv: {{TEXT: {}}}\nplatform: {{queue: {}}}\n"

    def templates(text: str, queue: str, options: ChartOptions) -> dict[str, str]:
        words = (scalar(f"x{text}"), scalar(text), scalar(queue))
        rendered = pipeline.render(checked([kit(files)], JOB + more.format(*words)), options)
        assert yaml.safe_load(rendered["values.yaml"])["platform"] == {"queue": queue}
        return {path: made for path, made in rendered.items() if path.startswith("templates/")}

    for options in (FULL, THIN):
        assert templates(text, queue, options) == templates("plain", "plain", options)


@pytest.mark.parametrize("pattern", ["(", "a{99999999999999999999}"])
def test_a_pattern_of_a_value_that_is_none(pattern: str) -> None:
    queue = QUEUE.replace("default:", f"pattern: '{pattern}', default:")
    with pytest.raises(InputError) as caught:
        kit({"kit.yaml": KIT + queue})
    (problem,) = caught.value.problems
    assert (problem.rule, problem.mark.line) == ("value-malformed", 5)
    assert problem.message.startswith("not a regular expression: ")
