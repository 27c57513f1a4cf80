"""A release that the stages on a cluster install, watch, test and remove."""

import re
from collections.abc import Iterable, Iterator, Sequence

from chartgen.document import Document
from chartgen.errors import Mark, Problem, WorldError
from chartgen.k8s import health
from chartgen.k8s.objects import Object, is_hook
from chartgen.verify import helm_output
from chartgen.verify.base import ChartTest, ClusterOptions
from chartgen.verify.rendering import Renderer
from chartgen.verify.result import PASSED, SKIPPED
from chartgen.world.cluster import client
from chartgen.world.cluster.client import Cluster, Name
from chartgen.world.helm import Helm, HelmError, place_options

_EXTRA = 30.0  # seconds that Helm gets on top of the timeout that it was given
_DESCRIBED = 3  # objects that are described when many are unhealthy
# What Helm says when the cluster is at fault, and not the chart.
_CLUSTER_FAULT = re.compile(
    r"cluster unreachable|connection refused|no such host|i/o timeout|TLS handshake|x509:|"
    r"Unauthorized|User \"[^\"]*\" cannot |namespaces \"[^\"]*\" not found|Client\.Timeout|"
    r"connection reset|EOF$"
)


_NO_ROLES = (
    "\ninstalling needs the right to create Roles; without it, use --set cleanup=none (nothing is "
    "released at the end) or --set rbac.create=false (with an account of your own)"
)


class HelmRelease:
    """A release by its name, and Helm on its cluster."""

    def __init__(
        self, name: str, tool: Helm, cluster: Cluster, options: ClusterOptions, timeout: float
    ) -> None:
        self.name, self.cluster, self.timeout = name, cluster, timeout
        self._tool, self._options = tool, options

    def helm(self, verb: str, *words: str, undisturbed: bool = False) -> str:
        """Run helm on the cluster; WorldError if the cluster is at fault."""
        command = (*verb.split(), *words, *self.cluster_options())
        limit = self.timeout + _EXTRA
        try:
            return self._tool.run(*command, timeout=limit, undisturbed=undisturbed)
        except HelmError as error:
            if error.code < 0 or _CLUSTER_FAULT.search(error.stderr):
                hint = _NO_ROLES if 'resource "roles"' in error.stderr else ""
                raise WorldError(self.explain(error) + hint) from error
            raise

    def explain(self, error: HelmError) -> str:
        """What Helm said."""
        return str(error)

    def cluster_options(self) -> list[str]:
        """The options by which Helm finds the cluster and the namespace."""
        where = self._options
        return place_options(self.cluster.namespace, where.kubeconfig, where.context)

    @property
    def timeout_option(self) -> str:
        """The timeout as Helm's option."""
        return f"--timeout={self.timeout:g}s"

    def get(self, what: str) -> list[Document]:
        """The objects that Helm has recorded: those of the manifest, or the hooks."""
        printed = self.helm(f"get {what}", self.name)
        return helm_output.read(printed.encode(), "helm get")[0]

    def uninstall(
        self, hooks: Iterable[Name], *, again: bool = False
    ) -> tuple[str, dict[Name, str]]:
        """Uninstall it with what hooks created; gives Helm's words, and the uids of the hooks.

        To Helm, the objects of hooks are not part of a release. Its record names them, so the
        record goes last: if we are killed meanwhile, another run still knows what to remove, and
        does it `again`.
        """
        options, printed = ("--ignore-not-found", self.timeout_option), ""
        if not again:
            words = (self.name, "--keep-history", "--wait", *options)
            printed = self.helm("uninstall", *words, undisturbed=True)
        uids = {}
        for name in hooks:
            hook = self.cluster.get(name)
            if hook and is_hook(hook):
                uids[name] = hook["metadata"]["uid"]
                self.cluster.delete(name)
        self.helm("uninstall", self.name, *options, undisturbed=True)
        return printed, uids

    def name_of(self, data: Object) -> Name:
        """What identifies one of its objects."""
        namespace = data["metadata"].get("namespace") or self.cluster.namespace
        return Name(data["apiVersion"], data["kind"], namespace, data["metadata"]["name"])


class Release(HelmRelease):
    """A release under test."""

    def __init__(
        self,
        name: str,
        renderer: Renderer,
        cluster: Cluster,
        options: ClusterOptions,
        timeout: float,
    ) -> None:
        super().__init__(name, renderer.helm, cluster, options, timeout)
        self.renderer = renderer
        # Until Helm can be asked what it installed; names may depend on the release's name.
        rendering = renderer.render("", renderer.versions[-1], release=self.name)
        self.objects: list[Document] = rendering.objects

    def explain(self, error: HelmError) -> str:
        """Helm's message, as it is about this chart."""
        return self.renderer.explain(error)

    def read_objects(self) -> None:
        """Ask Helm what it has installed; after Ctrl-C meanwhile, what was rendered counts."""
        self.objects = [*self.get("manifest"), *self.get("hooks")]

    def workloads(self) -> dict[Name, Object]:
        """The objects that run something, apart from hooks."""
        running = {}
        for document in self.objects:
            if document.data["kind"] in health.RUNNERS and not is_hook(document.data):
                running[self.name_of(document.data)] = document.data
        return running

    def hooks(self) -> dict[Name, Object]:
        """The objects that Helm creates as hooks."""
        return {
            self.name_of(document.data): document.data
            for document in self.objects
            if is_hook(document.data)
        }

    def problem(self, message: str, rule: str, place: str = "") -> Problem:
        """A problem of the release, or of one of its objects."""
        return Problem(Mark(place or f"release {self.name}", 0, 0), message, rule)

    def describe_failures(self, names: Sequence[Name]) -> Iterator[str]:
        """What the cluster says about unhealthy objects, as far as it can be asked."""
        for name in names[:_DESCRIBED]:
            try:
                yield from client.describe_failure(self.cluster, name)
            except WorldError as error:
                yield str(error)


def why_not_installed(test: ChartTest) -> str:
    """Why a stage after `install` cannot run; nothing if the release is installed."""
    for stage in test.result.stages:
        if stage.name == "install":
            if stage.verdict == SKIPPED:
                return stage.reasons[0]
            return "" if stage.verdict == PASSED else f"install {stage.verdict}"
    return "nothing was installed"


def installed(test: ChartTest) -> Release:
    """The release, which the stage `install` has made."""
    if test.release is None:
        raise WorldError("nothing was installed")
    return test.release
