"""A call in a Python text is read as data with the place of every argument, whatever is around it.

The function is Mars' new_cluster, the one that a format needs; any other is read the same way.
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen.document import Document, Path
from chartgen.errors import InputError
from chartgen.native.mars import call
from chartgen.syntax import python_call
from chartgen.syntax.python_call import Expression, Signature
from chartgen.syntax.text import Comment


def read(text: str) -> Document:
    (document,) = call.read(text.encode(), "x.py")
    return document


def refusals(text: str | bytes) -> list[str]:
    with pytest.raises(InputError) as caught:
        call.read(text if isinstance(text, bytes) else text.encode(), "x.py")
    return [
        f"{problem.mark}: {problem.message} ({problem.rule})" for problem in caught.value.problems
    ]


def comments(text: str) -> list[Comment]:
    (part,) = call.parts(text)
    return part.comments


def place(document: Document, *path: str | int, key: bool = False) -> str:
    return str(document.mark(path, key=key)).removeprefix("x.py:")


SCRIPT = """\
from kubernetes import config
from mars.deploy import kubernetes

WORKERS = 100
MEMORY: int = 16 * 1024 ** 3

def main():
    cluster = kubernetes.new_cluster(config.new_client_from_config(), worker_num=WORKERS,
                                     worker_mem=MEMORY, worker_cpu=4)
    print("ä"); cluster.stop()
"""


@pytest.mark.parametrize(
    "text",
    [
        "new_cluster(worker_num=2)",
        "cluster = new_cluster(worker_num=2)  # done",
        "with kubernetes.new_cluster(worker_num=2) as cluster: cluster.stop()",
        "import sys\nclass A:\n  def run(self):\n"
        "    return mars.deploy.kubernetes.new_cluster(worker_num=2)\n",
        "    cluster = new_cluster(worker_num=2)\n    cluster.stop()\n",
        "# why\n\tnew_cluster(\n  worker_num=2)\n",
        "\ufeffnew_cluster(worker_num=2)\r\nprint()\r\n",
        "print('\\d'); new_cluster(worker_num=2)",
    ],
)
def test_the_call_is_found_wherever_it_is(text: str) -> None:
    """Alone, assigned, in a function, or indented as a whole, as in a manual."""
    assert read(text).data == {"worker_num": 2}


def test_every_argument_has_a_place() -> None:
    document = read(SCRIPT)
    assert document.data == {
        "kube_api_client": "config.new_client_from_config()",
        "worker_num": 100,
        "worker_mem": 17179869184,
        "worker_cpu": 4,
    }
    assert place(document) == "8:15"
    assert place(document, "worker_num", key=True) == "8:71"
    assert place(document, "worker_num") == "4:11", "where the value is written"
    assert place(document, "worker_cpu") == "9:68"
    assert place(document, "nothing") == "8:15"


def test_any_function_and_any_classes_can_be_looked_for() -> None:
    signature = Signature("connect", ("host",), {"Retry": ("times",)}, "port=80")
    text = "new_cluster(); net.connect('a', retry=Retry(3), volume=EmptyDirVolumeConfig())"
    (document,) = python_call.read(text.encode(), "x.py", [signature])
    assert document.data == {
        "host": "a",
        "retry": {"Retry": {"times": 3}},
        "volume": Expression("EmptyDirVolumeConfig()"),
    }
    with pytest.raises(InputError, match=r"no call of connect .* connect\(port=80, ...\)"):
        python_call.read(b"new_cluster()", "x.py", [signature])


def test_columns_count_characters_and_not_bytes() -> None:
    document = read('x = "äöü"; new_cluster(image="ü", worker_num=2)')
    assert place(document, "worker_num", key=True) == "1:35"


def test_an_indented_text_keeps_its_lines() -> None:
    assert place(read("    c = new_cluster(\n        worker_num=2)\n"), "worker_num") == "2:20"


@pytest.mark.parametrize(
    ("value", "data"),
    [
        ("None", None),
        ("True", True),
        ("-3", -3),
        ("+1.5", 1.5),
        ("16 * 1024 ** 3", 17179869184),
        ("(7 - 1) // 4 + 5 % 3 + 1 / 2", 3.5),
        ("'a' \"b\"", "ab"),
        ("'''a\nb'''", "a\nb"),
        ("[1, 'a', (2, 3), []]", [1, "a", [2, 3], []]),
        ("{'a': 1, 'b': {'c': [None]}}", {"a": 1, "b": {"c": [None]}}),
        (
            "[HostPathVolumeConfig('a', '/b', host_path='/c'),"
            " config.EmptyDirVolumeConfig('d', '/e', True)]",
            [
                {"HostPathVolumeConfig": {"name": "a", "mount_path": "/b", "host_path": "/c"}},
                {"EmptyDirVolumeConfig": {"name": "d", "mount_path": "/e", "use_memory": True}},
            ],
        ),
    ],
)
def test_plain_values(value: str, data: Any) -> None:
    assert read(f"new_cluster(x={value})").data["x"] == data


@pytest.mark.parametrize(
    "value",
    ["int('3')", "f'{a}'", "b'a'", "1e999", "1j", "...", "{1, 2}", "a.b", "[x for x in y]",
     "not True", "-True", "'a' * 3", "1 / 0", "(-8) ** 0.5", "9 ** 9 ** 9", "2 ** 1000",
     "10.0 ** 308 * 10", "1 << 3", "unknown"],
)  # fmt: skip
def test_what_only_a_running_python_knows_is_left_as_an_expression(value: str) -> None:
    """Nothing is run, and nothing is computed that might exhaust memory."""
    argument = read(f"new_cluster(x=[{value}])").data["x"][0]
    assert isinstance(argument, Expression)
    assert argument


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("A = 3\nB = A * 2\nnew_cluster(x=B)", 6),
        ("A: int = 3\nnew_cluster(x=-A)", -3),
        ("A = 1\nA = 2\nnew_cluster(x=A)", Expression("A")),
        ("A = 1\nA += 2\nnew_cluster(x=A)", Expression("A")),
        ("A = 1\ndef f(A): new_cluster(x=A)", Expression("A")),
        ("A = 1\nfrom b import A\nnew_cluster(x=A)", Expression("A")),
        ("A = 1\nfor A in b: new_cluster(x=A)", Expression("A")),
        ("A = B = 1\nnew_cluster(x=A)", Expression("A")),
        ("A, B = 1, 2\nnew_cluster(x=A)", Expression("A")),
        ("if b:\n  A = 1\nnew_cluster(x=A)", Expression("A")),
        ("A: int\nnew_cluster(x=A)", Expression("A")),
        ("A = A + 1\nnew_cluster(x=A)", Expression("A + 1")),
    ],
)
def test_a_name_has_its_value_if_no_other_is_possible(text: str, data: Any) -> None:
    argument = read(text).data["x"]
    assert argument == data
    assert type(argument) is type(data)


def test_positional_arguments_get_the_names_of_mars() -> None:
    document = read("new_cluster(api, 'mars:1', 1, None, None, 3, min_worker_num=2)")
    assert document.data == {
        "kube_api_client": "api",
        "image": "mars:1",
        "scheduler_num": 1,
        "scheduler_cpu": None,
        "scheduler_mem": None,
        "worker_num": 3,
        "min_worker_num": 2,
    }
    assert place(document, "worker_num") == place(document, "worker_num", key=True) == "1:43"


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", ["1:1: no call of new_cluster in this text; expected new_cluster(worker_num=2, ...)"
              " (python-call-missing)"]),
        ("x = new_cluster", ["1:1: no call of new_cluster in this text; expected "
                             "new_cluster(worker_num=2, ...) (python-call-missing)"]),
        ("new_cluster()\nif x:\n  new_cluster()", ["3:3: new_cluster is already called on line 1;"
                                                   " expected one call in a file"
                                                   " (python-call-twice)"]),
        ("new_cluster(worker_num=2", ["1:12: Python cannot parse this: '(' was never closed"
                                      " (file-syntax)"]),
        ("  new_cluster(\n  worker_num=2", ["1:14: Python cannot parse this: '(' was never closed"
                                            " (file-syntax)"]),
        ("new_cluster(*a, **b)", ["1:13: '*' gives arguments that are known only when Python runs"
                                  " (python-value-unknown)",
                                  "1:17: '**' gives arguments that are known only when Python runs"
                                  " (python-value-unknown)"]),
        ("new_cluster(a=1, a=2)", ["1:18: a is given twice; expected it once (key-duplicate)"]),
        ("new_cluster(api, 'a', image='b')", ["1:23: image is given twice; expected it once"
                                              " (key-duplicate)"]),
        ("new_cluster(x=[EmptyDirVolumeConfig(1, 2, 3, 4, 5)])",
         ["1:49: EmptyDirVolumeConfig takes at most 4 arguments without a keyword;"
          " this is one more (python-argument-unnamed)"]),
        ("new_cluster(x={'a': 1, 'a': 2, 3: 4, **b})",
         ["1:24: the key 'a' is given twice; expected it once (key-duplicate)",
          "1:32: the key is not text; expected text in quotes (key-not-text)",
          "1:40: the key is not text; expected text in quotes (key-not-text)"]),
        ("new_cluster(x='\\x7f')",
         ["1:15: the character U+007F is not allowed; expected printable text,"
          " tabs and line breaks (file-control-character)"]),
        ("new_cluster(x=1)\x00",
         ["1:17: the character U+0000 is not allowed; expected printable text,"
          " tabs and line breaks (file-control-character)"]),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_reported_with_its_place(text: str, problems: list[str]) -> None:
    assert refusals(text) == [f"x.py:{problem}" for problem in problems]


@pytest.mark.parametrize("value", ["[" * 150 + "]" * 150, "-" * 3000 + "1", "1+" * 5000 + "1"])
def test_deep_nesting_is_a_problem(value: str) -> None:
    (problem,) = refusals(f"new_cluster(x={value})")
    assert "nested more than 100 levels deep" in problem


def test_other_encodings_are_reported() -> None:
    assert refusals(b"new_cluster(x='\xe4')") == [
        "x.py:1:16: the byte 0xe4 is not UTF-8 text; expected UTF-8 (file-encoding)"
    ]


@given(st.text("new_cluster(x='1a\\,=)[]{}:+*#\n \"f", max_size=40))
def test_any_text_is_read_or_reported(text: str) -> None:
    """Never a traceback, and every place is in the text."""
    try:
        document = read(f"new_cluster({text})")
    except InputError as error:
        lines = f"new_cluster({text})".split("\n")
        for problem in error.problems:
            assert 1 <= problem.mark.line <= len(lines)
            assert 1 <= problem.mark.column <= len(lines[problem.mark.line - 1]) + 1
    else:
        for path in _paths(document.data):
            document.mark(path)


def _paths(data: Any, path: Path = ()) -> list[Path]:
    items = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    return [path, *(inner for step, item in items for inner in _paths(item, (*path, step)))]


def test_comments_of_the_call_are_distinguished_from_those_of_other_code() -> None:
    text = """\
# head
# of the file

import mars  # code

print()  # code, too

# above
cluster = new_cluster(  # beside
    # alone
    worker_num=2,
    image="a#b",  # in the call
)  # behind
# code again
"""
    assert comments(text) == [
        (1, 1, "# head", True),
        (2, 1, "# of the file", True),
        (8, 1, "# above", True),
        (9, 25, "# beside", False),
        (10, 5, "# alone", True),
        (12, 19, "# in the call", False),
        (13, 4, "# behind", False),
    ]


def test_comments_of_a_call_in_a_block_end_with_the_call() -> None:
    text = "with new_cluster(a=1,  # one\n    b=2) as c:  # two\n    c.stop()  # code\n"
    assert [comment.text for comment in comments(text)] == ["# one", "# two"]
    assert [comment.text for comment in comments("    # in\n    new_cluster()\n")] == ["# in"]
