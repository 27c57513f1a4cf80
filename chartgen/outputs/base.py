"""What a job becomes: the files of a chart, or plain manifests by way of Helm."""

import os
from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from chartgen import chart, pipeline
from chartgen.errors import RefusedError, UsageError, WorldError
from chartgen.pipeline import Checked
from chartgen.world import files as tree

if TYPE_CHECKING:
    from chartgen.world.helm import Helm


class Product(NamedTuple):
    """The files of one job, what its pods ask of the cluster, and the command that makes a cluster run it."""

    name: str
    files: dict[str, str]
    asks: dict[str, float]
    next: str


def maker(args: Namespace) -> Callable[[Checked], Product]:
    """What makes a product of a job, as the command's arguments ask."""
    return _chart if args.format == "chart" else _manifests(args)


def printed(product: Product, form: str) -> str:
    """The product as one text."""
    if form == "chart":
        return "".join(f"==> {product.name}/{path} <==\n{text}\n" for path, text in product.files.items())
    from chartgen.outputs import manifests  # as below

    return manifests.stream(product.files)


def _chart(checked: Checked) -> Product:
    name = checked.job.name
    namespace = f"-n {checked.namespace} " if checked.namespace else ""
    asks = chart.asks(checked.job, checked.plan)
    return Product(name, pipeline.render(checked), asks, f"helm install {namespace}{name}")


def _manifests(args: Namespace) -> Callable[[Checked], Product]:
    from chartgen.outputs import manifests  # a chart needs no Helm to be made
    from chartgen.world import helm

    _check_given(args)
    tool = helm.find(args.helm)
    given = [f"--set={pair}" for pair in args.set or ()] + [f"--values={file}" for file in args.values or ()]

    def make(checked: Checked) -> Product:
        name = checked.job.name
        # Helm would take the namespace of whatever cluster this machine happens to talk to.
        options = [f"--namespace={args.namespace or 'default'}", *given]
        try:
            printed = _template(tool, args.release or name, name, pipeline.render(checked), options)
        except helm.HelmError as error:
            if given and error.code == 1:  # the job itself has no problems
                raise RefusedError(str(error)) from error
            raise
        found = manifests.objects(printed.encode(errors="surrogateescape"), args.namespace or "")
        return Product(name, manifests.files(found), manifests.asks(found), "kubectl apply -k")

    return make


def _check_given(args: Namespace) -> None:
    """What Helm would refuse before it looks at the chart."""
    import re

    if args.release and not (len(args.release) <= _LONGEST and re.fullmatch(_RELEASE, args.release)):
        about = f"lower-case letters, digits, '-' and '.', at most {_LONGEST} characters"
        raise UsageError(f"--release names {args.release!r}; expected {about}")
    for file in args.values or ():
        if "://" not in file and not os.path.isfile(file):
            raise UsageError(f"--values names {file}, and there is no such file")


_LONGEST = 53  # characters of a release's name, to Helm
_RELEASE = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"


def _template(tool: "Helm", release: str, name: str, files: dict[str, str], options: list[str]) -> str:
    """What helm prints for a chart that is on disk only as long as this takes."""
    from tempfile import TemporaryDirectory

    try:
        folder = TemporaryDirectory(prefix="chartgen-")
    except OSError as error:
        raise WorldError(f"cannot make a temporary directory: {error.strerror}; see TMPDIR") from error
    with folder as place:
        target = os.path.join(place, name)
        tree.write(target, files)
        return tool.run("template", release, target, *options)
