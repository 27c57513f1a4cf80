"""A Helm chart: its values can still be set by `helm install`."""

from collections.abc import Iterator

from chartgen import pipeline
from chartgen.chart.metadata import LIBRARY, LIBRARY_ADDRESS
from chartgen.outputs.base import Maker, OutputOptions, Product, SharedFiles
from chartgen.pipeline import CheckedJob

INSTALLS = False


def maker(options: OutputOptions) -> Maker:
    """A chart has few options: Helm takes the others at install."""

    def make(checked: CheckedJob) -> Product:
        name = checked.job.name
        namespace = f"-n {checked.namespace} " if checked.namespace else ""
        files = pipeline.render(checked, options.chart)
        totals = pipeline.totals(checked)
        prepare = "helm dependency build" if options.chart.layout == "thin" else ""
        return Product(name, files, totals, f"helm install {namespace}{name}", prepare)

    return make


def shared(options: OutputOptions) -> Iterator[SharedFiles]:
    """The library chart, where charts of the thin layout look for it."""
    if options.chart.layout == "thin" and options.chart.library == LIBRARY_ADDRESS:
        from chartgen.chart import thin  # which few charts need

        yield SharedFiles(LIBRARY, thin.library())


def as_text(product: Product) -> str:
    """Each file below a line with its path."""
    files = product.files.items()
    return "".join(f"==> {product.name}/{path} <==\n{text}\n" for path, text in files)
