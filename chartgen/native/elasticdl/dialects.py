"""Which ElasticDL a command line was written for: that of July 2019, 0.1.0rc0 or 0.2.0rc3."""

import re
from collections.abc import Sequence

FIRST, OLDER, NEWER = "2019-07", "0.1", "0.2"

# Flags of all clients after July 2019, of those that built an image, and of the last.
_LATER = (
    "training_data", "validation_data", "evaluation_data", "prediction_data",
    "num_minibatches_per_task", "model_params", "data_reader_params", "get_model_steps", "output",
    "prediction_outputs_processor", "dataset_fn", "use_async", "lr_staleness_modulation",
)  # fmt: skip
_OLDER = ("docker_image_prefix", "docker_image_repository", "image_base", "evaluation_data")
_NEWER = (
    "num_ps_pods", "ps_resource_request", "ps_resource_limit", "ps_pod_priority",
    "distribution_strategy", "use_go_ps", "feed", "callbacks", "custom_data_reader", "aux_params",
    "sync_version_tolerance", "log_loss_steps", "checkpoint_dir_for_init", "log_file_path",
    "yaml",
)  # fmt: skip
# A model as later clients name it: a directory, a file and a function or class in it.
DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")

# Flags of later clients by other names, those of July 2019 among them. The function that reads
# records is a feed only after 0.2.0rc3.
RENAMED_LATER = {
    "training_data_dir": "training_data",
    "evaluation_data_dir": "validation_data",
    "evaluation_data": "validation_data",
    "prediction_data_dir": "prediction_data",
    "docker_image_repository": "docker_image_prefix",
    "minibatches_per_task": "num_minibatches_per_task",
    "input_fn": "dataset_fn",
    "feed": "dataset_fn",
}
# What 0.1.0rc0 calls them.
NAMES_OLDER = {
    "validation_data": "evaluation_data",
    "docker_image_prefix": "docker_image_repository",
}
# Earlier names of flags of July 2019.
RENAMED_EARLIER = {
    "model_file": "model_def",
    "model_dir": "model_def",
    "docker_image_repository": "docker_image_prefix",
}
# Earlier flags for one amount of one resource: the flag of July 2019, and the resource.
AMOUNTS = {
    f"{role}_{word}_{part}": (f"{role}_resource_{part}", name)
    for role in ("master", "worker")
    for word, name in (("cpu", "cpu"), ("memory", "memory"))
    for part in ("request", "limit")
}


def recognize(words: Sequence[str]) -> str:
    """The dialect of a line, by the flags that it has."""
    values: dict[str, str] = {}
    for index, word in enumerate(words):
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            following = words[index + 1] if index + 1 < len(words) else ""
            values[name] = value if equals else following
    later = values.keys() & {*_LATER, *_NEWER}
    model = values.get("model_def", "")
    named = DOTTED.fullmatch(model) and not model.endswith(".py")  # a function, not its file
    zoo = "model_zoo" in values and "model_def" in values
    if not later and not named and not zoo:
        return FIRST
    if values.keys() & {*_NEWER} or not values.keys() & {*_OLDER} or "image_name" in values:
        return NEWER
    return OLDER
