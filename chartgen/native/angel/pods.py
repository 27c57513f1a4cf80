"""What Angel's properties say about the pods that Angel creates itself."""

import re
from collections.abc import Mapping, Set

from chartgen.document import Path
from chartgen.native.draft import Draft
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.words import did_you_mean, either

_KUBERNETES = "angel.kubernetes."
_EXECUTORS = ("ps", "worker")
# Options of each type of volume; the first is required, except of an emptyDir.
_VOLUMES = {
    "hostPath": ("path",),
    "persistentVolumeClaim": ("claimName",),
    "emptyDir": ("medium", "sizeLimit"),
}

PlacedValues = dict[str, tuple[Any, Path]]  # by name, a value and where it comes from
VolumeOptions = Mapping[str, tuple[str, Path]]


class _MountedVolume(NamedTuple):
    """A volume and its mount, and the first property about them."""

    volume: dict[str, Any]
    mount: dict[str, Any]
    origin: Path


def describe_pods(draft: Draft, left: dict[str, str], refused: Set[str]) -> None:
    """Take the properties about pods out of those left, and into the job or its roles."""
    _PodReader(draft, left, refused).describe()


class _PodReader:
    """What is said about the master's pod and about those of the executors."""

    def __init__(self, draft: Draft, left: dict[str, str], refused: Set[str]) -> None:
        self.draft = draft
        self.left = left
        self.refused = refused

    def describe(self) -> None:
        """Labels, annotations, variables, volumes and class paths."""
        for field, word in (("labels", "label"), ("annotations", "annotation")):
            self._share(field, self._values(f"master.{word}."), self._values(f"executor.{word}."))
        self._share("env", self._env("master"), self._env("executor"))
        self._share_volumes(self._volumes("master"), self._volumes("executor"))
        for kind in ("master", "executor"):
            key = f"{_KUBERNETES}{kind}.extraClassPath"
            if key in self.left:
                self.draft.data.setdefault("angel", {})
                self.draft.take(("angel", f"{kind}ClassPath"), self.left.pop(key), (key,))

    def _values(self, prefix: str) -> PlacedValues:
        """The properties below a prefix, by what follows it."""
        values: PlacedValues = {}
        for key in list(self.left):
            if key.startswith(_KUBERNETES + prefix):
                values[key.removeprefix(_KUBERNETES + prefix)] = self.left.pop(key), (key,)
        return values

    def _env(self, kind: str) -> PlacedValues:
        env = self._values(f"{kind}Env.")
        for name, (value, origin) in self._values(f"{kind}.secretKeyRef.").items():
            if name in env:
                other = env[name][1][0]
                message = f"{name} already has a value from {other}; expected one of them"
                self.draft.problem(origin, message, "env-duplicate", key=True)
            secret, _, key = value.partition(":")
            env[name] = {"valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}, origin
        return env

    def _share(self, field: str, master: PlacedValues, executor: PlacedValues) -> None:
        """What master and executors agree on belongs to the job, the rest to their roles."""
        common: PlacedValues = {}
        for name, (value, origin) in master.items():
            if name in executor and executor[name][0] == value:
                common[name] = value, origin
        self._put((field,), common)
        self._put(("roles", "master", field), _without(master, common))
        for role in _EXECUTORS:
            self._put(("roles", role, field), _without(executor, common))

    def _put(self, path: Path, values: PlacedValues) -> None:
        if not values:
            return
        self.draft.take(path, {}, next(iter(values.values()))[1])
        for name, (value, origin) in values.items():
            self.draft.take((*path, name), value, origin)

    def _share_volumes(self, master: list[_MountedVolume], executor: list[_MountedVolume]) -> None:
        """The master's volumes are the job's: the client reads and writes what the master does."""
        self._put_volumes((), master)
        sources = [volume[:2] for volume in master]
        if sources != [volume[:2] for volume in executor]:
            for role in _EXECUTORS:
                self._put_volumes(("roles", role), executor, even_if_none=bool(master))

    def _put_volumes(
        self, path: Path, volumes: list[_MountedVolume], *, even_if_none: bool = False
    ) -> None:
        if volumes or even_if_none:
            origin = volumes[0].origin if volumes else ()
            self.draft.take((*path, "volumes"), [volume.volume for volume in volumes], origin)
            self.draft.take((*path, "volumeMounts"), [volume.mount for volume in volumes], origin)
        for index, volume in enumerate(volumes):
            self.draft.origins[*path, "volumes", index] = volume.origin
            self.draft.origins[*path, "volumeMounts", index] = volume.origin

    def _volumes(self, kind: str) -> list[_MountedVolume]:
        given: dict[tuple[str, str], dict[str, tuple[str, Path]]] = {}
        for key, (value, origin) in self._values(f"{kind}.volumes.").items():
            type_, _, rest = key.partition(".")
            name, _, option = rest.partition(".")
            given.setdefault((type_, name), {})[option] = value, origin
        volumes = []
        for (type_, name), options in given.items():
            if self._is_sound(type_, name, options):
                volumes.append(_volume(type_, name, options))
        for secret, (path, origin) in self._values(f"{kind}.secrets.").items():
            name = f"{secret.replace('.', '-')}-volume"
            source = {"name": name, "secret": {"secretName": secret}}
            volumes.append(_MountedVolume(source, {"name": name, "mountPath": path}, origin))
        return volumes

    def _is_sound(self, type_: str, name: str, options: VolumeOptions) -> bool:
        """Whether a volume can be mounted; if not, or not as it is written, with problems."""
        origin = next(iter(options.values()))[1]
        if type_ not in _VOLUMES:
            message = f"Angel cannot mount volumes of type {type_!r}; expected {either(_VOLUMES)}"
            hint = did_you_mean(type_, _VOLUMES)
            self.draft.problem(origin, message, "angel-volume-type", hint, key=True)
            return False
        if not re.fullmatch(r"[a-z0-9]([-a-z0-9]{,61}[a-z0-9])?", name):
            expected = "expected lowercase letters, digits and '-'"
            message = f"{name!r} cannot be the name of a volume; {expected}"
            self.draft.problem(origin, message, "angel-volume-name", key=True)
            return False
        required = ["mount.path"]
        if type_ != "emptyDir":
            required.append(f"options.{_VOLUMES[type_][0]}")
        if missing := [option for option in required if option not in options]:
            self._report_missing(type_, name, options, missing)
            return False
        self._warn_of_unknown(type_, name, options)
        return True

    def _report_missing(
        self, type_: str, name: str, options: VolumeOptions, missing: list[str]
    ) -> None:
        """Report missing options, except refused ones; or that the name was cut at a dot."""
        _, origin = next(iter(options.values()))
        for option in options:
            if dotted := re.fullmatch(r"(.*)\.(mount|options)\.\w+", option):
                whole = f"{name}.{dotted[1]}"
                message = (
                    f"{whole!r} cannot be the name of a volume, because Angel cuts it to {name!r}; "
                    "expected no '.' in it"
                )
                hint = f"did you mean {whole.replace('.', '-')!r}?"
                self.draft.problem(origin, message, "angel-volume-name", hint, key=True)
                return
        family = str(origin[0]).partition(f".volumes.{type_}.")[0]
        for option in missing:
            if f"{family}.volumes.{type_}.{name}.{option}" not in self.refused:
                message = f"the volume {name!r} of type {type_} has no {option!r}; expected one"
                self.draft.problem(origin, message, "angel-volume-option-missing", key=True)

    def _warn_of_unknown(self, type_: str, name: str, options: VolumeOptions) -> None:
        known = ["mount.path", "mount.readOnly"]
        known += [f"options.{option}" for option in _VOLUMES[type_]]
        for option, (_, origin) in options.items():
            if option not in known:
                message = (
                    f"Angel ignores {option!r} of the volume {name!r}; expected {either(known)}"
                )
                hint = did_you_mean(option, known)
                self.draft.warning(origin, message, "angel-volume-option-unknown", hint, key=True)


def _volume(type_: str, name: str, options: VolumeOptions) -> _MountedVolume:
    source: dict[str, Any] = {}
    for option in _VOLUMES[type_]:
        value, _ = options.get(f"options.{option}", ("", ()))
        if value:
            source[option] = value
    mount: dict[str, Any] = {"name": name, "mountPath": options["mount.path"][0]}
    if options.get("mount.readOnly", ("",))[0] == "true":
        mount["readOnly"] = True
        if type_ == "persistentVolumeClaim":
            source["readOnly"] = True  # as Angel does
    origin = next(iter(options.values()))[1]
    return _MountedVolume({"name": name, type_: source}, mount, origin)


def _without(values: PlacedValues, others: PlacedValues) -> PlacedValues:
    return {name: value for name, value in values.items() if name not in others}
