"""The parsers of ElasticDL's master and worker of July 2019, which refuse unknown flags."""

import argparse
import re
from typing import NoReturn

LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"]
RESOURCE = re.compile(
    r"cpu|memory|disk|ephemeral-storage|gpu|[a-zA-Z\d-]{,63}(\.[a-zA-Z\d-]{,63})*/gpu"
)
MEMORY = re.compile(r"[1-9][0-9]*(E|P|T|G|M|K|Ei|Pi|Ti|Gi|Mi|Ki)")


class Refused(Exception):
    """The process would have ended with exit code 2."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Refused(message)


def positive(text: str) -> int:
    """An integer above 0."""
    if int(text) <= 0:
        raise ValueError(text)
    return int(text)


def natural(text: str) -> int:
    """An integer of at least 0."""
    if int(text) < 0:
        raise ValueError(text)
    return int(text)


def resources(text: str) -> dict[str, str]:
    """Quantities in ElasticDL's grammar."""
    values = dict(part.split("=") for part in text.split(","))
    for name, value in values.items():
        if not RESOURCE.fullmatch(name) or len(values) != text.count("=") or " " in text:
            raise ValueError(name)
        if name in ("memory", "disk", "ephemeral-storage") and not MEMORY.fullmatch(value):
            raise ValueError(value)
        if name == "cpu" and not re.fullmatch("[1-9][0-9]*m", value):
            float(value)
        if name.endswith("gpu") and not value.isdigit():
            raise ValueError(value)
    return values


def volume(text: str) -> dict[str, str]:
    """A volume with its three keys."""
    values = dict(part.split("=") for part in text.split(","))
    if values.keys() != {"claim_name", "volume_name", "mount_path"}:
        raise ValueError(text)
    return values


def _both(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model_def", required=True)
    parser.add_argument("--log_level", choices=LEVELS, type=str.upper, default="INFO")
    for name in ("input_fn", "loss", "optimizer", "eval_metrics_fn"):
        parser.add_argument(f"--{name}", default=name)
    parser.add_argument("--model_class", default="model")


def master(words: list[str]) -> argparse.Namespace:
    """The master's flags."""
    parser = _Parser(allow_abbrev=False)
    _both(parser)
    parser.add_argument("--job_name", required=True)
    parser.add_argument("--port", type=positive, default=50001)
    for name in ("records_per_task", "minibatch_size"):
        parser.add_argument(f"--{name}", type=positive, required=True)
    parser.add_argument("--num_epochs", type=positive, default=1)
    parser.add_argument("--grads_to_wait", type=positive, default=2)
    parser.add_argument("--num_workers", type=positive, default=0)
    for name in (
        "evaluation_steps",
        "evaluation_throttle_secs",
        "checkpoint_steps",
        "keep_checkpoint_max",
    ):
        parser.add_argument(f"--{name}", type=natural, default=0)
    parser.add_argument("--evaluation_start_delay_secs", type=natural, default=100)
    for name in (
        "training_data_dir",
        "evaluation_data_dir",
        "tensorboard_log_dir",
        "checkpoint_dir",
    ):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("---prediction_data_dir", default="")
    parser.add_argument("--checkpoint_filename_for_init", default="")
    for name in (
        "worker_image",
        "worker_pod_priority",
        "image_pull_policy",
        "restart_policy",
        "namespace",
    ):
        parser.add_argument(f"--{name}")
    parser.add_argument("--worker_resource_request", type=resources, default="cpu=1,memory=4096Mi")
    parser.add_argument("--worker_resource_limit", type=resources)
    parser.add_argument("--volume", type=volume)
    flags = parser.parse_args(words)
    if flags.prediction_data_dir and (flags.training_data_dir or flags.evaluation_data_dir):
        raise Refused("prediction goes alone")
    if flags.num_workers and not flags.worker_image:
        raise Refused("worker image cannot be empty")
    return flags


def worker(words: list[str]) -> argparse.Namespace:
    """A worker's flags."""
    parser = _Parser(allow_abbrev=False)
    _both(parser)
    parser.add_argument("--worker_id", type=int, required=True)
    parser.add_argument("--master_addr", required=True)
    return parser.parse_args(words)
