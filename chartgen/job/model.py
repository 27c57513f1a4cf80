"""Job and Role: the validated description, typed, with every shorthand spelt out."""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypedDict, cast


class Spec(TypedDict, total=False):
    """What a role, or the whole job for all its roles, may say about its pods, in Kubernetes' own words."""

    image: str
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
    backoffLimit: int
    activeDeadlineSeconds: int
    labels: dict[str, str]
    annotations: dict[str, str]
    securityContext: dict[str, Any]
    podSecurityContext: dict[str, Any]
    serviceAccountName: str
    initContainers: list[dict[str, Any]]
    sidecars: list[dict[str, Any]]
    container: dict[str, Any]
    pod: dict[str, Any]
    gpu: int
    accelerator: dict[str, Any]
    fabric: str


SPEC_FIELDS = frozenset(Spec.__annotations__)


class Role(NamedTuple):
    """One kind of replica: how many, where they listen, what their pods are like, and which of them differ."""

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
    settings: Mapping[str, Any]  # the job-wide words that are not about pods: cloud, runtimeId, tensorboard, ...

    def replicas(self, role: str) -> int:
        """How many replicas a role has; none if the job lacks the role."""
        return self.roles[role].replicas if role in self.roles else 0

    def spec(self, role: str, override: str = "") -> dict[str, Any]:
        """What holds for a role's pods: the role's own words over the job-wide ones, and an override's over both."""
        found = merged(self.shared, self.roles[role].spec)
        return merged(found, self.roles[role].overrides[override]) if override else found


def ends(key: str) -> tuple[int, int]:
    """The first and the last index an override's key names: "2" or "0-3"."""
    first, _, last = key.partition("-")
    return int(first), int(last or first)


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Merge as Helm merges values: maps merge, lists and scalars replace."""
    result = dict(base)
    for key, value in over.items():
        below = result.get(key)
        both = isinstance(below, dict) and isinstance(value, dict)
        result[key] = merged(below, value) if both else value  # type: ignore[arg-type]
    return result


def typed(data: Mapping[str, Any], options: Mapping[str, Any]) -> Job:
    """The Job of validated data with its shorthands spelt out; `options` are the framework's own, with defaults."""
    framework = data["framework"]
    chosen = {name: _default(default) for name, default in options.items()} | data.get(framework, {})
    return Job(
        name=data["name"],
        framework=framework,
        version=data.get("version", "0.1.0"),
        description=data.get("description", ""),
        shared=_spec(data),
        roles={name: _role(name, role) for name, role in data["roles"].items()},
        options={name: value for name, value in chosen.items() if value is not None},
        settings={key: value for key, value in data.items() if key in _SETTINGS},
    )


def _default(default: Any) -> Any:
    """Of several choices the first."""
    return default[0] if isinstance(default, tuple) else default


_SETTINGS = frozenset(
    (
        *("cloud", "clouds", "runtimeId", "namePrefix", "tensorboard", "rbac", "podSecurity", "cleanup", "tests"),
        *("wait", "priorityClasses"),
    )
)


def _role(name: str, data: Mapping[str, Any]) -> Role:
    return Role(name, data.get("replicas", 1), data.get("port"), _spec(data), data.get("overrides", {}))


def _spec(data: Mapping[str, Any]) -> Spec:
    return cast(Spec, {field: value for field, value in data.items() if field in SPEC_FIELDS})
