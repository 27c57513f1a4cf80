"""`chartgen test`, stage by stage: STAGES is the order.

To add a stage, write the module `stages/NAME.py`, which fulfils the Protocol `Stage` and whose
docstring is its manual page, and add it to STAGES and to the tuple for mypy.
"""

from importlib import import_module

from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import TYPE_CHECKING, cast

if TYPE_CHECKING:  # mypy checks each module against the Protocol; nothing is imported at run time
    from chartgen.verify.base import Stage
    from chartgen.verify.stages import chart, install, lint, render, schemas, test, uninstall, wait
    from chartgen.verify.stages import policy as policy_stage  # `policy` is another module here

    _CHECKED: tuple[Stage, ...] = (
        *(chart, lint, render, schemas, policy_stage),
        *(install, wait, test, uninstall),
    )


class StageEntry(NamedTuple):
    """A stage, as people see it, and when it runs."""

    name: str  # also the name of its module
    about: str
    needs_cluster: bool = False
    cleanup: bool = False  # runs even when the stages before it are interrupted

    @property
    def summary(self) -> str:
        """What it is about, in a list of all stages."""
        return f"{self.about} (with --cluster)" if self.needs_cluster else self.about

    @property
    def module(self) -> "Stage":
        """The module that does the work, imported only when it is needed."""
        return cast("Stage", import_module(f"chartgen.verify.stages.{self.name}"))

    @property
    def manual(self) -> str:
        """The manual page."""
        return self.module.__doc__ or ""


STAGES = (
    StageEntry("chart", "open the directory or the package, or render the job"),
    StageEntry("lint", "helm lint --strict, and yamllint on files and renderings"),
    StageEntry("render", "helm template with the defaults and with each ci/*-values.yaml"),
    StageEntry("schemas", "check every object against Kubernetes' own schemas"),
    StageEntry("policy", "check names, limits, privileges and upgrades"),
    StageEntry("install", "helm install, as a release of its own", needs_cluster=True),
    StageEntry("wait", "until its Jobs have ended or are healthy", needs_cluster=True),
    StageEntry("test", "helm test, with the logs of its pods", needs_cluster=True),
    StageEntry("uninstall", "helm uninstall, leaving nothing", needs_cluster=True, cleanup=True),
)
