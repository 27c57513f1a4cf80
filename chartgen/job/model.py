"""Job and Role: the validated description, typed, with all shorthands expanded."""

from collections.abc import Mapping
from types import MappingProxyType

from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any, TypedDict, cast


class Spec(TypedDict, total=False):
    """The fields about pods that a role has, or the job for all its roles; as in Kubernetes."""

    image: str | dict[str, str]
    imagePullPolicy: str
    imagePullSecrets: list[dict[str, str]]
    command: list[str]
    args: list[str]
    workingDir: str
    env: dict[str, Any]
    envFrom: list[dict[str, Any]]
    ports: list[dict[str, Any]]
    resources: dict[str, Any]
    volumes: list[dict[str, Any]]
    volumeMounts: list[dict[str, Any]]
    nodeSelector: dict[str, str]
    tolerations: list[dict[str, Any]]
    affinity: dict[str, Any]
    priorityClassName: str
    restartPolicy: str
    exitCodes: str | dict[str, list[int]]
    backoffLimit: int
    activeDeadlineSeconds: int
    ttlSecondsAfterFinished: int
    suspend: bool
    labels: dict[str, str]
    annotations: dict[str, str]
    securityContext: dict[str, Any]
    podSecurityContext: dict[str, Any]
    serviceAccountName: str
    initContainers: list[dict[str, Any]]
    sidecars: list[dict[str, Any]]
    container: dict[str, Any]
    pod: dict[str, Any]
    job: dict[str, Any]
    service: dict[str, Any]
    gpu: int
    accelerator: dict[str, Any]
    fabric: str


SPEC_FIELDS = frozenset(Spec.__annotations__)


_SETTINGS = frozenset(
    {
        "cloud",
        "clouds",
        "runtimeId",
        "namePrefix",
        "commonLabels",
        "commonAnnotations",
        "extraObjects",
        "chart",
        "tensorboard",
        "rbac",
        "podSecurity",
        "cleanup",
        "helperImage",
        "helperImagePullPolicy",
        "networkPolicy",
        "tests",
        "wait",
        "priorityClasses",
    }
)


NO_GROUPS: Mapping[str, str] = MappingProxyType({})


class Role(NamedTuple):
    """A number of equal replicas, with overrides for those that differ."""

    name: str
    replicas: int
    port: int | None
    spec: Spec
    overrides: Mapping[str, Mapping[str, Any]]


class Job(NamedTuple):
    """One distributed job."""

    name: str
    framework: str
    version: str
    description: str
    shared: Spec
    roles: Mapping[str, Role]
    options: Mapping[str, Any]
    settings: Mapping[str, Any]  # fields of the job that are not about pods: cloud, runtimeId, ...
    groups: Mapping[str, str] = NO_GROUPS  # values that kits add, by name, with their JSON Schemas

    def replicas(self, role: str) -> int:
        """How many replicas a role has; none if the job lacks the role."""
        return self.roles[role].replicas if role in self.roles else 0

    def spec(self, role: str, override: str = "") -> dict[str, Any]:
        """The fields of a role's pods: the role's over the job's, and an override's over both."""
        fields = merge(self.shared, self.roles[role].spec)
        return merge(fields, self.roles[role].overrides[override]) if override else fields


def ends(key: str) -> tuple[int, int]:
    """The first and the last index an override's key names: "2" or "0-3"."""
    first, _, last = key.partition("-")
    return int(first), int(last or first)


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Merge as Helm merges values: mappings are merged, lists and scalars replaced."""
    result = dict(base)
    for key, value in over.items():
        below = result.get(key)
        both = isinstance(below, dict) and isinstance(value, dict)
        result[key] = merge(below, value) if both else value  # type: ignore[arg-type]
    return result


def make_job(
    data: Mapping[str, Any], options: Mapping[str, Any], groups: Mapping[str, str] = NO_GROUPS
) -> Job:
    """The Job of validated, expanded data; `options` are the framework's, with defaults."""
    framework = data["framework"]
    chosen: dict[str, Any] = {}
    for name, default in options.items():
        chosen[name] = default[0] if isinstance(default, tuple) else default  # the first choice
    chosen |= data.get(framework, {})
    roles = {name: _role(name, role) for name, role in data["roles"].items()}
    settings = {key: value for key, value in data.items() if key in _SETTINGS or key in groups}
    return Job(
        name=data["name"],
        framework=framework,
        version=data.get("chart", {}).get("version") or data.get("version", "0.1.0"),
        description=data.get("description", ""),
        shared=_spec(data),
        roles=roles,
        options={name: value for name, value in chosen.items() if value is not None},
        settings=settings,
        groups=groups,
    )


def _role(name: str, data: Mapping[str, Any]) -> Role:
    return Role(
        name, data.get("replicas", 1), data.get("port"), _spec(data), data.get("overrides", {})
    )


def _spec(data: Mapping[str, Any]) -> Spec:
    return cast(Spec, {field: value for field, value in data.items() if field in SPEC_FIELDS})
