"""ElasticDL: command lines of its client, in the dialect of July 2019 and, where it says the same, of later ones."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from chartgen import schema
from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.native.draft import Adopted, Draft, rules
from chartgen.native.elasticdl.command_line import FOR_CLIENT, Line, read

# What a flag of the client becomes among the master's own.
_PARAMS = (
    "model_def", "training_data_dir", "evaluation_data_dir", "records_per_task", "minibatch_size", "num_epochs",
    "grads_to_wait", "checkpoint_steps", "checkpoint_dir", "keep_checkpoint_max", "checkpoint_filename_for_init",
    "evaluation_steps", "evaluation_start_delay_secs", "evaluation_throttle_secs", "input_fn", "loss", "optimizer",
    "eval_metrics_fn", "model_class", "log_level",
)  # fmt: skip
_DEFAULTS = {"master": {"cpu": "0.1", "memory": "1024Mi"}, "worker": {"cpu": "1", "memory": "4096Mi"}}
_NAMES = {"gpu": "nvidia.com/gpu", "disk": "ephemeral-storage"}
_UNSENT = "the client of July 2019 left it out without a word; here it holds"

Said = Mapping[str, Any]


def adopt(document: Document) -> Adopted:
    """The job description that a command line of the client means."""
    line = read(document)
    if not line.command:
        return Adopted(None, (), tuple(line.problems))
    said = line.document()
    problems = [*line.problems, *map(_as_flags, schema.check(said, rules("elasticdl"))), *_wanting(line)]
    whole = all(problem.severity == "warning" for problem in problems)
    sound = said if whole else schema.sound_part(said, rules("elasticdl"), {})
    if sound is None:
        return Adopted(None, (), tuple(problems))
    draft = Draft(sound)
    _describe(draft, line)
    return draft.adopted(problems)


def _as_flags(problem: Problem) -> Problem:
    """A problem in the words of a command line: --num_workers=2, where a mapping has num_workers: 2."""
    message = re.sub(r"^(?:train|evaluate)\.(\w+)", r"--\1", problem.message)
    message = re.sub(r"^missing '(\w+)' in (?:train|evaluate)\.(\w+)[^\s:]*", r"--\2 lacks \1", message)
    message = re.sub(r"^missing '(\w+)' in (train|evaluate)\b", r"\2 lacks --\1", message)
    message = re.sub(r"^unknown key (.*?) in (?:train|evaluate)\.(\w+)\S*?(?=,|$)", r"--\2: \1 is unknown", message)
    dashes = "" if message.startswith("--") else "--"  # of a flag itself, and of no part of its value
    hint = re.sub(r"^for example (\w+): ", rf"for example {dashes}\1=", problem.hint)
    return problem._replace(message=message, hint=hint)


def _wanting(line: Line) -> Iterator[Problem]:
    """What no schema asks for: an image, a model by its name, and pods that no program of one's own changes."""
    if "image_name" not in line.data:
        yield line.source.problem(("words", line.start - 1), *_no_image(line))
    model = line.given.get("model_def")
    if model and model.value.endswith("/"):
        message = "the client took the model's name from behind the last '/', where there is none; read as meant"
        yield line.source.warning(model.at, message, "model", "remove the '/' at the end")
    share = line.given.get("worker_pod_priority")
    if share and re.fullmatch(r"[01]?\.[0-9]+", share.value):
        message = "a share of the workers that has a high priority came after July 2019; expected a PriorityClass"
        hint = "with expansion: static, overrides give workers a priorityClassName by their index"
        yield line.source.problem(share.at, message, "later-flag", hint)
    if flag := line.given.get("cluster_spec"):
        message = "--cluster_spec is a program that changes pods, and is not run"
        hint = "say what it does in the description: nodeSelector, tolerations, labels, ..."
        if flag.value:
            yield line.source.problem(flag.key, message, "cluster-spec", hint)


def _no_image(line: Line) -> tuple[str, str, str]:
    """The client built an image for every job, and gave it a random name."""
    base = "; --image_base is what it was built from" if "image_base" in line.data else ""
    message = f"no image is named: the client built one itself, and chartgen does not{base}; expected --image_name"
    prefix = str(line.data.get("docker_image_prefix") or "registry.example.com").rstrip("/")
    image = f"{prefix}/elasticdl:{line.data.get('job_name') or 'mnist'}"
    hint = (
        f"build one with ElasticDL, what the model needs, and the model itself at {_model(line)}: docker build -t "
        f"{image} . && docker push {image}; then add --image_name={image}"
    )
    return message, "image", hint


def _model(line: Line) -> str:
    """Where the model is in the image: where the client put it."""
    path = str(line.data.get("model_def", "NAME")).rstrip("/")
    return path if "model_zoo" in line.given else f"/model_zoo/{path.rpartition('/')[2]}"


def _describe(draft: Draft, line: Line) -> None:
    """All that a command line says, in a job description's words."""
    at: Path = (line.command,)
    said = draft.source.data[line.command]
    draft.take(("name",), said["job_name"], (*at, "job_name"))
    draft.take(("framework",), "elasticdl", at)
    if "image_name" in said:
        draft.take(("image",), said["image_name"], (*at, "image_name"))
    _pull_policy(draft, at, said)
    draft.take(("roles",), {}, at)
    reasons = _reasons(draft, at, said)
    _master(draft, at, said, native=not reasons)
    _worker(draft, at, said)
    _options(draft, line, said, reasons)
    _volumes(draft, at, said.get("volume", ()))
    _tensorboard(draft, at, said)
    _leave_out(draft, line, said)


def _pull_policy(draft: Draft, at: Path, said: Said) -> None:
    draft.take(("imagePullPolicy",), said.get("image_pull_policy", "Always"), (*at, "image_pull_policy"))
    if "image_pull_policy" not in said:
        draft.note(("imagePullPolicy",), "the client's default")


def _reasons(draft: Draft, at: Path, said: Said) -> list[str]:
    """What a master could not tell workers that it makes, so that they must be Jobs of the chart."""
    volumes = said.get("volume", ())
    plain = not any(volume.keys() & {"host_path", "type", "sub_path"} for volume in volumes)
    reasons = {"envs": "variables"} if "envs" in said else {}
    if len(volumes) > 1 or not plain:
        reasons["volume"] = "several volumes" if len(volumes) > 1 else "anything but a claim as a whole"
    for flag, what in reasons.items():
        hint = "`chartgen explain elasticdl` says what is lost with expansion: static"
        draft.warning((*at, flag), _STATIC.format(what), "expansion", hint, key=True)
    return [*reasons.values()]


_STATIC = "the master of July 2019 cannot give {} to workers that it makes, so each worker is a Job of the chart"


def _master(draft: Draft, at: Path, said: Said, *, native: bool) -> None:
    draft.take(("roles", "master"), {}, at)
    _resources(draft, at, "master", said)
    _priority(draft, at, "master", said)
    if "restart_policy" in said and not native:
        draft.take(("roles", "master", "restartPolicy"), said["restart_policy"], (*at, "restart_policy"))
    elif said.get("restart_policy", "Never") != "Never":
        text = "--restart_policy is for the workers; a master that starts again would meet those of its first start"
        draft.note(("roles", "master"), text)


def _worker(draft: Draft, at: Path, said: Said) -> None:
    draft.take(("roles", "worker"), {}, at)
    draft.take(("roles", "worker", "replicas"), said["num_workers"], (*at, "num_workers"))
    _resources(draft, at, "worker", said)
    _priority(draft, at, "worker", said)
    if "worker_pod_priority" in said:
        draft.note(("roles", "worker", "priorityClassName"), f"--worker_pod_priority: {_UNSENT}")
    if "restart_policy" in said:
        draft.take(("roles", "worker", "restartPolicy"), said["restart_policy"], (*at, "restart_policy"))


def _priority(draft: Draft, at: Path, role: str, said: Said) -> None:
    flag = f"{role}_pod_priority"
    if flag in said:
        draft.take(("roles", role, "priorityClassName"), said[flag], (*at, flag))


def _resources(draft: Draft, at: Path, role: str, said: Said) -> None:
    """What a role asks for; a limit that is not given is the request."""
    asked, limit = f"{role}_resource_request", f"{role}_resource_limit"
    path: Path = ("roles", role, "resources")
    draft.take(path, {}, (*at, limit if limit in said else asked))
    requests = _quantities(draft, (*path, "requests"), (*at, asked), said.get(asked, _DEFAULTS[role]))
    limits = _quantities(draft, (*path, "limits"), (*at, limit if limit in said else asked), said.get(limit, requests))
    draft.data["roles"][role]["resources"] = (
        {"limits": limits} if requests == limits else {"requests": requests, "limits": limits}
    )
    if asked not in said:
        draft.note(path, f"--{asked}: the client's default")


def _quantities(draft: Draft, path: Path, origin: Path, said: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in said.items():
        known = _NAMES.get(name, name)
        if known in found:
            short = next(short for short, full in _NAMES.items() if full == known)
            message = f"{short} and {known} are one thing, of which the client took the last; expected it once"
            draft.problem((*origin, name), message, "assignment", key=True)
        if name == "disk":
            message = "Kubernetes knows no resource 'disk' and refuses it; read as ephemeral-storage"
            draft.warning((*origin, name), message, "resource-name", "write ephemeral-storage", key=True)
        found[known] = int(value) if str(value).isdigit() else value
        draft.origins[*path, known] = (*origin, name)
    return found


def _options(draft: Draft, line: Line, said: Said, reasons: list[str]) -> None:
    """The master's own flags, and how its workers are made."""
    at: Path = (line.command,)
    draft.take(("elasticdl",), {}, at)
    draft.take(("elasticdl", "expansion"), "static" if reasons else "native", at)
    if reasons:
        draft.note(("elasticdl", "expansion"), _STATIC.format(" and ".join(reasons)))
    draft.take(("elasticdl", "jobName"), said["job_name"], (*at, "job_name"))
    draft.take(("elasticdl", "params"), {}, at)
    for name in _PARAMS:
        if name in said:
            draft.take(("elasticdl", "params", name), said[name], (*at, name))
    params: Path = ("elasticdl", "params")
    draft.take((*params, "model_def"), _model(line), (*at, "model_def"))
    if "model_zoo" not in line.given:
        draft.note((*params, "model_def"), "where the client put the model in the image that it built")
    if "log_level" in said:
        draft.note((*params, "log_level"), f"--log_level: {_UNSENT}")
    if line.command == "train" and "checkpoint_filename_for_init" in said:
        draft.note((*params, "checkpoint_filename_for_init"), _UNSENT)
    if said.get("checkpoint_steps") and "checkpoint_dir" not in said:
        text = "without --checkpoint_dir, checkpoints are written where they are lost with the master's pod"
        draft.note((*params, "checkpoint_steps"), text)
    if "envs" in said:
        draft.take(("env",), dict(said["envs"]), (*at, "envs"))


def _volumes(draft: Draft, at: Path, volumes: list[Said]) -> None:
    """What is mounted in all pods; a volume that has no name gets a number."""
    if not volumes:
        return
    draft.take(("volumes",), [], (*at, "volume"))
    draft.take(("volumeMounts",), [], (*at, "volume"))
    for index, said in enumerate(volumes):
        origin: Path = (*at, "volume", index)
        if ("claim_name" in said) == ("host_path" in said):
            message = "a volume has a claim or a path of the node; expected claim_name or host_path"
            draft.problem(origin, message, "volume")
            continue
        name = said.get("volume_name", f"volume-{index}")
        _volume(draft, origin, name, said)


def _volume(draft: Draft, origin: Path, name: str, said: Said) -> None:
    volumes, mounts = draft.data["volumes"], draft.data["volumeMounts"]
    if "claim_name" in said:
        source: dict[str, Any] = {"persistentVolumeClaim": {"claimName": said["claim_name"]}}
    else:
        kind = {"type": said["type"]} if said.get("type") else {}
        source = {"hostPath": {"path": said["host_path"], **kind}}
    known = next((volume["name"] for volume in volumes if volume == {"name": volume["name"], **source}), None)
    part = {"subPath": said["sub_path"]} if "sub_path" in said else {}
    draft.origins["volumeMounts", len(mounts)] = origin
    mounts.append({"name": known or name, "mountPath": said["mount_path"], **part})
    if known is None:
        draft.origins["volumes", len(volumes)] = origin
        volumes.append({"name": name, **source})


def _tensorboard(draft: Draft, at: Path, said: Said) -> None:
    """The master served TensorBoard itself, behind a Service of this type, and so never ended."""
    if "tensorboard_log_dir" not in said:
        return
    origin: Path = (*at, "tensorboard_log_dir")
    folder = said["tensorboard_log_dir"]
    shared = {field: draft.data[field] for field in ("volumes", "volumeMounts") if field in draft.data}
    draft.take(("tensorboard",), {"logDir": folder, "serviceType": "LoadBalancer", **shared}, origin)
    draft.note(
        ("tensorboard",), "a pod of its own; the master served it itself, and went on with that after the training"
    )
    mounts = [mount["mountPath"].rstrip("/") for mount in shared.get("volumeMounts", ())]
    if folder.startswith("/") and not any(f"{folder}/".startswith(f"{mount}/") for mount in mounts):
        message = f"no volume is mounted at {folder}, so that TensorBoard cannot see what the master writes there"
        draft.warning(origin, message, "tensorboard", "use a directory of a volume")


def _leave_out(draft: Draft, line: Line, said: Said) -> None:
    """What was for the client, or for the image that it built."""
    if said.get("namespace", "default") != "default":
        draft.in_namespace(said["namespace"], "--namespace")
    built = [f"--{name}" for name in ("docker_image_prefix", "image_base", "extra_pypi_index") if name in said]
    if built:
        draft.note(("image",), f"{', '.join(built)}: for the image that the client built")
    own = [f"--{name}" for name in FOR_CLIENT if name in line.given]
    own += line.source.data.get("env", {})
    if own:
        draft.note((), f"{', '.join(own)}: for the client itself")
    if any(role.get("priorityClassName") for role in draft.data["roles"].values()):
        text = "the classes must exist in the cluster; priorityClasses: {NAME: VALUE} would make them"
        draft.note(("roles",), text)
