"""A new_cluster call as a job description: what arguments become, their places, what is refused."""

from typing import Any

import pytest

from chartgen import native, pipeline
from chartgen.document import Document
from chartgen.errors import InputError
from chartgen.native.draft import Adopted
from chartgen.native.mars import call
from chartgen.syntax.python_call import Expression
from tests.support.command_line import Typist


def adopted(arguments: str, file: str = "cluster.py") -> Adopted:
    (document,) = pipeline.read(f"new_cluster({arguments})".encode(), file)
    return native.adopt(document)


def described(arguments: str) -> dict[str, Any]:
    adoption = adopted(arguments)
    assert adoption.problems == ()
    assert adoption.document is not None
    data: dict[str, Any] = adoption.document.data
    return data


def problems(arguments: str) -> list[str]:
    """What is refused anywhere from reading to checking."""
    (document,) = pipeline.read(f"new_cluster({arguments})".encode(), "x")
    try:
        pipeline.check(document)
    except InputError as error:
        return [f"{problem.mark.column}: {problem.rule}" for problem in error.problems]
    return []


def document(arguments: str) -> Document:
    adopted_document = adopted(arguments).document
    assert adopted_document is not None
    return adopted_document


def test_a_call_without_arguments_is_a_whole_cluster() -> None:
    assert described("") == {
        "name": "cluster",
        "framework": "mars",
        "image": "marsproject/mars:v0.6.0",
        "roles": {"scheduler": {"replicas": 1}, "worker": {"replicas": 1}, "web": {"replicas": 1}},
        "mars": {"discovery": "api"},
    }


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("cluster.py", "cluster"),
        ("jobs/My Analysis_2.py", "my-analysis-2"),
        ("C:\\jobs\\nightly.py", "nightly"),
        ("2nd.py", "mars"),
        ("a" * 50 + ".py", "mars"),
        ("<stdin>", "mars"),
    ],
)
def test_the_job_has_the_name_of_its_file(file: str, name: str) -> None:
    adopted_document = adopted("", file).document
    assert adopted_document is not None
    assert adopted_document.data["name"] == name


@pytest.mark.parametrize(
    ("size", "quantity"),
    [
        ("'16g'", "16Gi"),
        ("'16G'", "16Gi"),
        ("'16Gi'", "16Gi"),
        ("' 16 gb '", "16Gi"),
        ("'1.5g'", "1536Mi"),
        ("'.5m'", "512Ki"),
        ("'1000'", 1000),
        ("'2t'", "2048Gi"),
        ("16 * 1024 ** 3", "16Gi"),
        ("1.5e9", 1500000000),
        ("1025", 1025),
    ],
)
def test_sizes_are_read_as_mars_read_them(size: str, quantity: str | int) -> None:
    resources = described(f"worker_cpu=1, worker_mem={size}, worker_cache_mem=1")["roles"][
        "worker"
    ]["resources"]
    assert resources == {"limits": {"cpu": 1, "memory": quantity}}


@pytest.mark.parametrize(
    ("size", "quantity"),
    [
        ("'20%'", "20%"),
        ("' 12.5 %'", "12.5%"),
        ("'4g'", "4Gi"),
        ("4096", "4Ki"),
        ("'100%'", "100%"),
    ],
)
def test_a_cache_may_be_a_part_of_the_memory(size: str, quantity: str) -> None:
    options = described(f"worker_cache_mem={size}, worker_min_cache_mem={size}")["mars"]
    assert options["cacheMemory"] == options["minCacheMemory"] == quantity


def test_only_workers_have_limits() -> None:
    requests = (
        "scheduler_cpu=2, scheduler_mem='10g', worker_cpu=2, worker_mem='10g', web_cpu=2,"
        " web_mem='10g'"
    )
    roles = described(f"{requests}, worker_mem_limit_ratio=1.5, web_mem_limit_ratio=2")["roles"]
    asked = {"cpu": 2, "memory": "10Gi"}
    assert roles["scheduler"]["resources"] == roles["web"]["resources"] == {"requests": asked}
    assert roles["worker"]["resources"] == {
        "requests": asked,
        "limits": {"cpu": 2, "memory": "15Gi"},
    }


def test_none_and_empty_arguments_are_left_out() -> None:
    empty = (
        "worker_cpu=None, worker_mem=None, worker_spill_paths=[], extra_env={}, extra_labels=None,"
        " timeout=None"
    )
    assert described(f"{empty}, web_cpu=0") == described("")


def test_ports_are_set_for_a_role_or_for_all() -> None:
    roles = described("service_port=11111, web_service_port=80")["roles"]
    assert [roles[role]["port"] for role in ("scheduler", "worker", "web")] == [11111, 11111, 80]


def test_modules_are_combined_for_each_role() -> None:
    data = described(
        "extra_modules='b,a', worker_extra_modules=['c', 'a'], scheduler_extra_modules='d'"
    )
    assert data["env"] == {"MARS_LOAD_MODULES": "a,b"}
    assert data["roles"]["worker"]["env"] == {"MARS_LOAD_MODULES": "a,b,c"}
    assert data["roles"]["scheduler"]["env"] == {"MARS_LOAD_MODULES": "a,b,d"}
    assert "env" not in data["roles"]["web"]


def test_variables_are_texts_as_python_prints_them() -> None:
    data = described(
        "extra_env={'A': True, 'B': 1.0, 'C': ''}, web_extra_env={'MARS_LOAD_MODULES': 'x'}"
    )
    assert data["env"] == {"A": "True", "B": "1.0", "C": ""}
    assert data["roles"]["web"]["env"] == {"MARS_LOAD_MODULES": "x"}


def test_the_variable_with_group_labels_is_left_out_with_a_note() -> None:
    adoption = adopted("extra_env={'MARS_K8S_GROUP_LABELS': 'a'}, extra_labels={'a': 'b'}")
    assert adoption.document is not None
    assert "env" not in adoption.document.data
    assert adoption.document.data["labels"] == {"a": "b"}
    assert any("MARS_K8S_GROUP_LABELS is left out" in note.text for note in adoption.notes)


def test_workers_have_the_volumes_of_all_and_their_own() -> None:
    """A role's list of volumes replaces the job's, so a worker's list holds both."""
    data = described(
        "extra_volumes=[EmptyDirVolumeConfig('a', '/a')], worker_spill_paths=['/x', '/y']"
    )
    assert [volume["name"] for volume in data["volumes"]] == ["a"]
    worker = data["roles"]["worker"]
    assert [volume["name"] for volume in worker["volumes"]] == [
        "a",
        "host-path-vol-0",
        "host-path-vol-1",
    ]
    assert [mount["mountPath"] for mount in worker["volumeMounts"]] == [
        "/a",
        "/mnt/hostpath0",
        "/mnt/hostpath1",
    ]
    assert data["mars"]["spillDirs"] == ["/mnt/hostpath0", "/mnt/hostpath1"]


def test_arguments_about_the_cluster_become_notes() -> None:
    adoption = adopted("namespace='research', log_when_fail=True, scheduler_mem_limit_ratio=2")
    notes = "\n".join(note.text for note in adoption.notes)
    assert "helm install -n research" in notes
    assert "log_when_fail" in notes
    assert "scheduler_mem_limit_ratio" in notes


@pytest.mark.parametrize(
    ("path", "column"),
    [
        (("roles", "worker", "replicas"), 24),
        (("roles", "worker", "resources", "limits", "cpu"), 38),
        (("roles", "worker", "resources", "limits", "memory"), 52),
        (("mars", "minWorkers"), 74),
        (("mars", "spillDirs"), 96),
        (("roles", "worker", "volumes", 1, "hostPath"), 103),
        (("roles", "worker", "volumeMounts", 0), 97),
        (("env", "B"), 134),
        (("roles", "scheduler"), 1),
        (("mars", "discovery"), 1),
    ],
)
def test_every_value_leads_back_to_its_argument(path: tuple[str | int, ...], column: int) -> None:
    parsed = document(
        "worker_num=3, worker_cpu=4, worker_mem='16g', min_worker_num=2,"
        " worker_spill_paths=['/a', '/b'], extra_env={'A': 1, 'B': 2}"
    )
    assert parsed.mark(path).column == column


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("worker_num=2, min_worker_num=3", ["42: mars-min-workers"]),
        ("worker_cpu=1, worker_mem='4g', worker_cache_mem='80%'", ["61: mars-cache-too-large"]),
        ("worker_cpu=1", ["13: mars-cpu-and-memory"]),
        ("extra_env={'MARS_CONTAINER_IP': '1.2.3.4'}", ["24: env-reserved"]),
        (
            "extra_env={'MARS_SPILL_DIRS': '/a'}, worker_num=two",
            ["24: env-reserved", "61: python-value-unknown"],
        ),
        (
            "worker_cpu=1, worker_nun=1",
            ["27: key-unknown"],
        ),  # what is missing may be in what was refused
        ("'a:1'", ["13: python-argument-unnamed"]),
        (
            "extra_volumes=[EmptyDirVolumeConfig('a', '/a'), EmptyDirVolumeConfig('a', '/b')]",
            ["61: volume-duplicate"],
        ),
        (
            "worker_spill_paths=[EmptyDirVolumeConfig('mars-shared', '/a')]",
            ["33: volume-duplicate"],
        ),
        ("namespace='A B'", ["23: value-malformed"]),
        ("timeout=0", ["21: value-out-of-range"]),
        ("web_mem=1e30, web_cpu=1", ["21: value-out-of-range"]),
    ],
)
def test_problems_of_every_kind_are_reported_at_the_argument(
    arguments: str, expected: list[str]
) -> None:
    assert sorted(set(problems(arguments))) == sorted(expected)


def test_a_refused_argument_does_not_hide_others() -> None:
    adoption = adopted(
        "worker_num='2', web_num=0, extra_labels={'mars/service-type': 'x'}, image=name"
    )
    assert [problem.rule for problem in adoption.problems] == [
        "python-value-unknown",
        "value-wrong-type",
        "value-out-of-range",
        "label-reserved",
    ]


def test_a_call_on_standard_input_becomes_a_description(typed: Typist) -> None:
    done = typed("convert", "-", stdin="cluster = new_cluster(api, worker_num=2)\n")
    assert done.code == 0
    assert "name: mars\n" in done.out
    assert "    replicas: 2\n" in done.out


@pytest.mark.parametrize(
    ("size", "reason"),
    [
        ("16gibberish", "; Mars looked only at the first letter of a unit"),
        ("50%", "; only the cache can be a percentage of the memory"),
        ("1p", ""),
        ("-1g", ""),
    ],
)
def test_a_message_about_a_size_says_only_what_mars_did(size: str, reason: str) -> None:
    (problem,) = adopted(f"web_cpu=1, web_mem={size!r}").problems
    assert problem.message.endswith(f"got {size!r}{reason}")


@pytest.mark.parametrize(
    ("keyword", "value"), [("worker_spill_paths", "/a b"), ("pre_stop_command", "kill -9 1")]
)
def test_the_python_in_a_hint_is_accepted(keyword: str, value: str) -> None:
    (problem,) = adopted(f"{keyword}={value!r}").problems
    assert adopted(f"{keyword}={problem.hint.removeprefix('write a list: ')}").problems == ()


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("def f(api):\n    n = 3\n    new_cluster(api, worker_num=n)", 3),
        ("n = 2\ndef f(api):\n    n = 3\n    new_cluster(api, worker_num=n)", 3),
        ("n = 2\ndef f(api):\n    new_cluster(api, worker_num=n)", 2),
        ("def g():\n    n = 9\ndef f(api):\n    n = 3\n    new_cluster(api, worker_num=n)", 3),
    ],
)
def test_names_of_the_function_around_the_call_are_followed(body: str, value: int) -> None:
    (document,) = call.read(body.encode(), "cluster.py")
    assert document.data["worker_num"] == value


@pytest.mark.parametrize(
    "body",
    [
        "def f(api, n):\n    new_cluster(api, worker_num=n)",
        "n = 2\ndef f(api, n):\n    new_cluster(api, worker_num=n)",
        "def f(api):\n    n = 3\n    n = 4\n    new_cluster(api, worker_num=n)",
        "def f(api):\n    if api:\n        n = 3\n    new_cluster(api, worker_num=n)",
    ],
)
def test_names_that_only_a_running_function_knows_are_not(body: str) -> None:
    (document,) = call.read(body.encode(), "cluster.py")
    assert isinstance(document.data["worker_num"], Expression)


@pytest.mark.parametrize(
    ("build", "value"),
    [
        ("p = []\np.append('/a')\np.append('/b')", ["/a", "/b"]),
        ("p = ['/a']\nfor x in 'b':\n    p.append(x)", None),
        ("p = ['/a']\np.extend(['/b'])", None),
        ("p = ['/a']\np += ['/b']", None),
    ],
)
def test_a_list_that_is_appended_to_is_followed(build: str, value: Any) -> None:
    text = f"{build}\nnew_cluster(api, worker_spill_paths=p)"
    (document,) = call.read(text.encode(), "cluster.py")
    paths = document.data["worker_spill_paths"]
    assert paths == value if value else isinstance(paths, Expression)


@pytest.mark.parametrize(
    ("text", "value"),
    [("f'{a}:{b}'", "x:6"), ("f'{b + 1}'", "7"), ("f'{a!r}'", None), ("f'{b:03}'", None)],
)
def test_f_strings_of_constants_are_followed(text: str, value: str | None) -> None:
    source = f"a = 'x'\nb = 6\nnew_cluster(api, image={text})"
    (document,) = call.read(source.encode(), "cluster.py")
    image = document.data["image"]
    assert image == value if value else isinstance(image, Expression)


@pytest.mark.parametrize(
    ("imports", "read"),
    [
        ("from mars.deploy.kubernetes import new_cluster", True),
        ("from mars.deploy.kubernetes.client import new_cluster", True),
        ("", True),
        ("from mars.deploy.ray import new_cluster", False),
        ("from mars.deploy.local import new_cluster", False),
        ("from mars.deploy.yarn import new_cluster", False),
        ("from xorbits._mars.deploy.kubernetes import new_cluster", False),
    ],
)
def test_the_import_decides_whose_function_it_is(imports: str, read: bool) -> None:
    text = f"{imports}\nnew_cluster(api, worker_num=2)".encode()
    if read:
        assert call.read(text, "cluster.py")
        return
    with pytest.raises(InputError) as error:
        call.read(text, "cluster.py")
    (problem,) = error.value.problems
    assert (problem.rule, problem.mark.line) == ("python-other-module", 2)
    assert imports.split()[1] in problem.message


def test_a_fraction_of_a_cpu_is_taken() -> None:
    job = described("api, worker_cpu=1.5, worker_mem='4g', web_cpu=0.25, web_mem='1g'")
    assert job["roles"]["worker"]["resources"]["limits"]["cpu"] == "1500m"
    assert job["roles"]["web"]["resources"]["requests"]["cpu"] == "250m"


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("new_cluster(api, worker_num=2)", None),
        ("new_cluster(api, image='marsproject/mars:v0.6.11')", None),
        ("new_cluster(api, image='marsproject/mars:v0.7.0')", "0.7"),
        ("new_cluster(api, image='team/mars-gpu:0.10.0-cuda')", "0.7"),
        ("new_cluster(api, supervisor_mem='4g', supervisor_cpu=1)", "0.7"),
        ("new_cluster(api, web_port=8080)", "0.7"),
        ("new_cluster(api, image='xprobe/xorbits:v0.8.2-py3.9')", "xorbits"),
        ("new_cluster(api, worker_num=2, use_local_image=True)", "xorbits"),
        ("import xorbits.deploy.kubernetes as k\nk.new_cluster(api, 2, '8g')", "xorbits"),
        ("from mars.deploy.kubernetes import new_cluster\nnew_cluster(api)", None),
    ],
)
def test_the_dialect_follows_from_import_image_and_arguments(
    text: str, dialect: str | None
) -> None:
    (document,) = pipeline.read(text.encode(), "cluster.py")
    adoption = native.adopt(document)
    assert adoption.problems == ()
    assert adoption.document is not None
    assert adoption.document.data["mars"].get("dialect") == dialect
    assert ("supervisor" in adoption.document.data["roles"]) == (dialect is not None)


def test_arguments_by_position_are_those_of_the_dialect() -> None:
    """The third is a number of schedulers, later of supervisors; Xorbits has another order."""
    later = "api, 'marsproject/mars:v0.10.0', 1, 2, '8g', worker_num=3"
    requests = {"requests": {"cpu": 2, "memory": "8Gi"}}
    assert described(later)["roles"]["supervisor"] == {"replicas": 1, "resources": requests}
    mark = document(later).mark(("roles", "supervisor", "resources", "requests", "memory"))
    assert (mark.line, mark.column) == (1, 52)
    text = "import xorbits.deploy.kubernetes as k\nk.new_cluster(api, 2, '8g', None, 1)"
    (read,) = pipeline.read(text.encode(), "cluster.py")
    adopted_document = native.adopt(read).document
    assert adopted_document is not None
    limits = {"limits": {"cpu": 2, "memory": "8Gi"}}
    assert adopted_document.data["roles"]["worker"] == {"replicas": 1, "resources": limits}
