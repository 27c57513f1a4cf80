"""What an output states, as a Protocol that each output's module fulfils."""

from collections.abc import Callable, Iterable, Mapping

from chartgen.chart import ChartOptions
from chartgen.pipeline import CheckedJob
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Protocol
from chartgen.world.helm import HelmValues


class OutputOptions(NamedTuple):
    """What a command line says about an output; only those with INSTALLS use it."""

    release: str = ""
    values: HelmValues = HelmValues()
    helm: str = ""  # the Helm to run; found if empty
    chart: ChartOptions = ChartOptions()
    tests: bool = False  # whether manifests come with Helm's tests, as ordinary Jobs
    stream: bool = False  # whether all objects are in one file


class Product(NamedTuple):
    """The files that one job becomes, and what they mean to a cluster."""

    name: str
    files: Mapping[str, str]
    totals: dict[str, float]  # what its pods request in total
    next_command: str  # what makes a cluster run it, without the path of the files
    prepare_command: str = ""  # what has to be done with the files first


class SharedFiles(NamedTuple):
    """Files that several jobs use, in a directory of their own."""

    name: str
    files: Mapping[str, str]


Maker = Callable[[CheckedJob], Product]


class Output(Protocol):
    """A module in this package."""

    __doc__: str | None

    @property
    def INSTALLS(self) -> bool:  # noqa: N802
        """Whether values are fixed here, as by `helm install`; a chart leaves that to Helm."""

    def maker(self, options: OutputOptions) -> Maker:
        """The function that makes a job's files; mistakes in the options are UsageErrors."""

    def shared(self, options: OutputOptions) -> Iterable[SharedFiles]:
        """What is written once, beside the files of the jobs."""

    def as_text(self, product: Product) -> str:
        """All files as one text, for standard output."""
