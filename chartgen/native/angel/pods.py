"""What Angel's properties say of the pods that it makes itself, in Kubernetes' own words."""

import re
from collections.abc import Iterator, Mapping, Set
from typing import Any, NamedTuple

from chartgen.document import Path
from chartgen.native.draft import Draft
from chartgen.plan.names import either, nearest

_KUBERNETES = "angel.kubernetes."
_MAKERS = ("master", "executor")
_VOLUMES = {"hostPath": "path", "persistentVolumeClaim": "claimName", "emptyDir": ""}  # and the option it must have
_OPTIONS = {"hostPath": ("path",), "persistentVolumeClaim": ("claimName",), "emptyDir": ("medium", "sizeLimit")}
_EXECUTORS = ("ps", "worker")

Words = dict[str, tuple[Any, Path]]  # by name, a value and where it stands


class _Volume(NamedTuple):
    """A volume and its mount, and where they are spoken of first."""

    volume: dict[str, Any]
    mount: dict[str, Any]
    origin: Path


class Pods:
    """Takes what is said of the master's pod and of the executors' into the job or its roles."""

    def __init__(self, draft: Draft, left: dict[str, str], refused: Set[str]) -> None:
        self.draft = draft
        self.left = left
        self.refused = refused

    def describe(self) -> None:
        """Labels, annotations, variables, volumes and class paths."""
        for field, read in {"labels": self._labels, "annotations": self._annotations, "env": self._env}.items():
            self._share(field, *(read(maker) for maker in _MAKERS))
        self._share_volumes(*([*self._volumes(maker), *self._secrets(maker)] for maker in _MAKERS))
        for maker in _MAKERS:
            key = f"{_KUBERNETES}{maker}.extraClassPath"
            if key in self.left:
                self.draft.data.setdefault("angel", {})
                self.draft.take(("angel", f"{maker}ClassPath"), self.left.pop(key), (key,))

    def _family(self, prefix: str) -> Iterator[tuple[str, str, Path]]:
        """The properties below a prefix: what follows it, the value, and where it stands."""
        for key in [key for key in self.left if key.startswith(_KUBERNETES + prefix)]:
            yield key.removeprefix(_KUBERNETES + prefix), self.left.pop(key), (key,)

    def _labels(self, maker: str) -> Words:
        return {name: (value, origin) for name, value, origin in self._family(f"{maker}.label.")}

    def _annotations(self, maker: str) -> Words:
        return {name: (value, origin) for name, value, origin in self._family(f"{maker}.annotation.")}

    def _env(self, maker: str) -> Words:
        env: Words = {name: (value, origin) for name, value, origin in self._family(f"{maker}Env.")}
        for name, value, origin in self._family(f"{maker}.secretKeyRef."):
            if name in env:
                message = f"{name} has a value already, by {env[name][1][0]}; expected one of them"
                self.draft.problem(origin, message, "duplicate-env", key=True)
            secret, _, key = value.partition(":")
            env[name] = {"valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}, origin
        return env

    def _share(self, field: str, master: Words, executor: Words) -> None:
        """What holds for all pods that Angel makes is the job's, and the rest that of their roles."""
        common = {name: word for name, word in master.items() if executor.get(name, (None,))[0] == word[0]}
        self._put((field,), common)
        self._put(("roles", "master", field), _without(master, common))
        for role in _EXECUTORS:
            self._put(("roles", role, field), _without(executor, common))

    def _put(self, path: Path, words: Words) -> None:
        if not words:
            return
        self.draft.take(path, {}, next(iter(words.values()))[1])
        for name, (value, origin) in words.items():
            self.draft.take((*path, name), value, origin)

    def _share_volumes(self, master: list[_Volume], executor: list[_Volume]) -> None:
        """The client reads and writes what the master does, so the master's volumes are the job's."""
        self._put_volumes((), master)
        if [one[:2] for one in master] != [one[:2] for one in executor]:
            for role in _EXECUTORS:
                self._put_volumes(("roles", role), executor, empty=bool(master))

    def _put_volumes(self, path: Path, volumes: list[_Volume], *, empty: bool = False) -> None:
        if volumes or empty:
            origin = volumes[0].origin if volumes else ()
            self.draft.take((*path, "volumes"), [one.volume for one in volumes], origin)
            self.draft.take((*path, "volumeMounts"), [one.mount for one in volumes], origin)
        for index, one in enumerate(volumes):
            self.draft.origins[*path, "volumes", index] = one.origin
            self.draft.origins[*path, "volumeMounts", index] = one.origin

    def _secrets(self, maker: str) -> Iterator[_Volume]:
        for name, path, origin in self._family(f"{maker}.secrets."):
            volume = f"{name.replace('.', '-')}-volume"
            yield _Volume({"name": volume, "secret": {"secretName": name}}, {"name": volume, "mountPath": path}, origin)

    def _volumes(self, maker: str) -> Iterator[_Volume]:
        found: dict[tuple[str, str], dict[str, tuple[str, Path]]] = {}
        for rest, value, origin in self._family(f"{maker}.volumes."):
            kind, _, below = rest.partition(".")
            name, _, option = below.partition(".")
            found.setdefault((kind, name), {})[option] = value, origin
        for (kind, name), options in found.items():
            if volume := self._volume(kind, name, options):
                yield volume

    def _volume(self, kind: str, name: str, options: Mapping[str, tuple[str, Path]]) -> _Volume | None:
        origin = next(iter(options.values()))[1]
        if kind not in _VOLUMES:
            message = f"Angel mounts no volume of type {kind!r}; expected {either(_VOLUMES)}"
            self.draft.problem(origin, message, "volume-type", nearest(kind, _VOLUMES), key=True)
            return None
        if not re.fullmatch(r"[a-z0-9]([-a-z0-9]{,61}[a-z0-9])?", name):
            message = f"{name!r} cannot be a volume's name; expected lower-case letters, digits and '-'"
            self.draft.problem(origin, message, "volume-name", key=True)
            return None
        needed = ["mount.path", *([f"options.{_VOLUMES[kind]}"] if _VOLUMES[kind] else [])]
        if missing := [option for option in needed if option not in options]:
            self._incomplete(kind, name, options, missing)
            return None
        self._unknown(kind, name, options)
        return _made(kind, name, {option: value for option, (value, _) in options.items()}, origin)

    def _incomplete(self, kind: str, name: str, options: Mapping[str, tuple[str, Path]], missing: list[str]) -> None:
        """Tell what a volume lacks, but for what is there and refused; or that its name was cut at a dot."""
        _, origin = next(iter(options.values()))
        family = str(origin[0]).partition(f".volumes.{kind}.")[0]
        if dotted := next((option for option in options if re.search(r"\.(mount|options)\.\w+$", option)), ""):
            whole = f"{name}.{re.sub(r'[.](mount|options)[.][A-Za-z]+$', '', dotted)}"
            message = f"{whole!r} cannot be a volume's name, for Angel takes {name!r} for it; expected no '.' in it"
            self.draft.problem(origin, message, "volume-name", f"did you mean {whole.replace('.', '-')!r}?", key=True)
            return
        for option in [one for one in missing if f"{family}.volumes.{kind}.{name}.{one}" not in self.refused]:
            message = f"the volume {name!r} of type {kind} has no {option!r}; expected one"
            self.draft.problem(origin, message, "volume-option", key=True)

    def _unknown(self, kind: str, name: str, options: Mapping[str, tuple[str, Path]]) -> None:
        known = ["mount.path", "mount.readOnly", *(f"options.{option}" for option in _OPTIONS[kind])]
        for option, (_, origin) in options.items():
            if option not in known:
                message = f"Angel does not look at {option!r} of the volume {name!r}; expected {either(known)}"
                self.draft.warning(origin, message, "volume-option", nearest(option, known), key=True)


def _made(kind: str, name: str, options: Mapping[str, str], origin: Path) -> _Volume:
    source: dict[str, Any] = {
        option: options[f"options.{option}"] for option in _OPTIONS[kind] if options.get(f"options.{option}")
    }
    mount: dict[str, Any] = {"name": name, "mountPath": options["mount.path"]}
    if options.get("mount.readOnly") == "true":
        mount["readOnly"] = True
        if kind == "persistentVolumeClaim":
            source["readOnly"] = True  # as Angel does
    return _Volume({"name": name, kind: source}, mount, origin)


def _without(words: Words, others: Words) -> Words:
    return {name: word for name, word in words.items() if name not in others}
