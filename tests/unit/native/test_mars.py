"""A new_cluster call as a job description: what each argument becomes, where it stands, and what is refused."""

from typing import Any

import pytest

from chartgen import native, pipeline
from chartgen.document import Document
from chartgen.errors import InputError
from chartgen.native.draft import Adopted
from tests.support.command_line import Typist


def adopted(arguments: str, file: str = "cluster.py") -> Adopted:
    (document,) = pipeline.read(f"new_cluster({arguments})".encode(), file)
    return native.adopt(document)


def described(arguments: str) -> dict[str, Any]:
    found = adopted(arguments)
    assert found.problems == ()
    assert found.document is not None
    data: dict[str, Any] = found.document.data
    return data


def problems(arguments: str) -> list[str]:
    """What is refused on the whole way."""
    (document,) = pipeline.read(f"new_cluster({arguments})".encode(), "x")
    try:
        pipeline.check(document)
    except InputError as error:
        return [f"{problem.mark.column}: {problem.rule}" for problem in error.problems]
    return []


def document(arguments: str) -> Document:
    found = adopted(arguments).document
    assert found is not None
    return found


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
    found = adopted("", file).document
    assert found is not None
    assert found.data["name"] == name


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
    resources = described(f"worker_cpu=1, worker_mem={size}, worker_cache_mem=1")["roles"]["worker"]["resources"]
    assert resources == {"limits": {"cpu": 1, "memory": quantity}}


@pytest.mark.parametrize(
    ("size", "quantity"),
    [("'20%'", "20%"), ("' 12.5 %'", "12.5%"), ("'4g'", "4Gi"), ("4096", "4Ki"), ("'100%'", "100%")],
)
def test_a_cache_may_be_a_part_of_the_memory(size: str, quantity: str) -> None:
    options = described(f"worker_cache_mem={size}, worker_min_cache_mem={size}")["mars"]
    assert options["cacheMemory"] == options["minCacheMemory"] == quantity


def test_only_workers_are_held_to_what_they_ask_for() -> None:
    asks = "scheduler_cpu=2, scheduler_mem='10g', worker_cpu=2, worker_mem='10g', web_cpu=2, web_mem='10g'"
    roles = described(f"{asks}, worker_mem_limit_ratio=1.5, web_mem_limit_ratio=2")["roles"]
    asked = {"cpu": 2, "memory": "10Gi"}
    assert roles["scheduler"]["resources"] == roles["web"]["resources"] == {"requests": asked}
    assert roles["worker"]["resources"] == {"requests": asked, "limits": {"cpu": 2, "memory": "15Gi"}}


def test_none_and_nothing_are_left_out() -> None:
    said = "worker_cpu=None, worker_mem=None, worker_spill_paths=[], extra_env={}, extra_labels=None, timeout=None"
    assert described(f"{said}, web_cpu=0") == described("")


def test_ports_are_the_roles_own_or_those_of_all() -> None:
    roles = described("service_port=11111, web_service_port=80")["roles"]
    assert [roles[role]["port"] for role in ("scheduler", "worker", "web")] == [11111, 11111, 80]


def test_modules_are_put_together_for_each_role() -> None:
    data = described("extra_modules='b,a', worker_extra_modules=['c', 'a'], scheduler_extra_modules='d'")
    assert data["env"] == {"MARS_LOAD_MODULES": "a,b"}
    assert data["roles"]["worker"]["env"] == {"MARS_LOAD_MODULES": "a,b,c"}
    assert data["roles"]["scheduler"]["env"] == {"MARS_LOAD_MODULES": "a,b,d"}
    assert "env" not in data["roles"]["web"]


def test_variables_are_texts_as_python_prints_them() -> None:
    data = described("extra_env={'A': True, 'B': 1.0, 'C': ''}, web_extra_env={'MARS_LOAD_MODULES': 'x'}")
    assert data["env"] == {"A": "True", "B": "1.0", "C": ""}
    assert data["roles"]["web"]["env"] == {"MARS_LOAD_MODULES": "x"}


def test_a_group_of_pods_needs_no_label_and_a_note_says_so() -> None:
    found = adopted("extra_env={'MARS_K8S_GROUP_LABELS': 'a'}, extra_labels={'a': 'b'}")
    assert found.document is not None
    assert "env" not in found.document.data
    assert found.document.data["labels"] == {"a": "b"}
    assert any("MARS_K8S_GROUP_LABELS is left out" in note.text for note in found.notes)


def test_volumes_of_all_are_there_beside_those_of_workers() -> None:
    """A role's list of volumes takes the place of the job's, so that a worker's has both."""
    data = described("extra_volumes=[EmptyDirVolumeConfig('a', '/a')], worker_spill_paths=['/x', '/y']")
    assert [volume["name"] for volume in data["volumes"]] == ["a"]
    worker = data["roles"]["worker"]
    assert [volume["name"] for volume in worker["volumes"]] == ["a", "host-path-vol-0", "host-path-vol-1"]
    assert [mount["mountPath"] for mount in worker["volumeMounts"]] == ["/a", "/mnt/hostpath0", "/mnt/hostpath1"]
    assert data["mars"]["spillDirs"] == ["/mnt/hostpath0", "/mnt/hostpath1"]


def test_what_belongs_to_the_cluster_is_told_in_notes() -> None:
    found = adopted("namespace='research', log_when_fail=True, scheduler_mem_limit_ratio=2")
    notes = "\n".join(note.text for note in found.notes)
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
def test_every_word_leads_back_to_its_argument(path: tuple[str | int, ...], column: int) -> None:
    found = document(
        "worker_num=3, worker_cpu=4, worker_mem='16g', min_worker_num=2, worker_spill_paths=['/a', '/b'], "
        "extra_env={'A': 1, 'B': 2}"
    )
    assert found.mark(path).column == column


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("worker_num=2, min_worker_num=3", ["42: min-workers"]),
        ("worker_cpu=1, worker_mem='4g', worker_cache_mem='80%'", ["61: cache-memory"]),
        ("worker_cpu=1", ["13: cpu-and-memory"]),
        ("extra_env={'MARS_CONTAINER_IP': '1.2.3.4'}", ["24: reserved-env"]),
        ("extra_env={'MARS_SPILL_DIRS': '/a'}, worker_num=two", ["24: reserved-env", "61: literal"]),
        ("worker_cpu=1, worker_nun=1", ["27: unknown-key"]),  # what is missing may be what was refused
        ("'a:1'", ["13: call"]),
        ("extra_volumes=[EmptyDirVolumeConfig('a', '/a'), EmptyDirVolumeConfig('a', '/b')]", ["61: duplicate-volume"]),
        ("worker_spill_paths=[EmptyDirVolumeConfig('mars-shared', '/a')]", ["33: duplicate-volume"]),
        ("namespace='A B'", ["23: pattern"]),
        ("timeout=0", ["21: range"]),
        ("web_mem=1e30, web_cpu=1", ["21: range"]),
    ],
)
def test_problems_of_every_kind_stand_where_the_argument_does(arguments: str, expected: list[str]) -> None:
    assert sorted(set(problems(arguments))) == sorted(expected)


def test_a_refused_argument_does_not_hide_others() -> None:
    found = adopted("worker_num='2', web_num=0, extra_labels={'mars/service-type': 'x'}, image=name")
    assert [problem.rule for problem in found.problems] == ["literal", "type", "range", "reserved-label"]


def test_a_call_goes_in_by_standard_input_and_a_description_comes_out(typed: Typist) -> None:
    done = typed("convert", "-", stdin="cluster = new_cluster(api, worker_num=2)\n")
    assert done.code == 0
    assert "name: mars\n" in done.out
    assert "    replicas: 2\n" in done.out


@pytest.mark.parametrize(
    ("size", "reason"),
    [
        ("16gibberish", "; of a unit, Mars read the first letter alone"),
        ("50%", "; a part of the memory is for the cache alone"),
        ("1p", ""),
        ("-1g", ""),
    ],
)
def test_only_what_mars_did_is_said_of_a_size(size: str, reason: str) -> None:
    (problem,) = adopted(f"web_cpu=1, web_mem={size!r}").problems
    assert problem.message.endswith(f"got {size!r}{reason}")


@pytest.mark.parametrize(("keyword", "value"), [("worker_spill_paths", "/a b"), ("pre_stop_command", "kill -9 1")])
def test_a_hint_is_python_that_is_taken(keyword: str, value: str) -> None:
    (problem,) = adopted(f"{keyword}={value!r}").problems
    assert adopted(f"{keyword}={problem.hint.removeprefix('write a list: ')}").problems == ()
