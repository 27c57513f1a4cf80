"""The versions of ElasticDL that an image may hold: their flags, and who creates the workers."""

from chartgen.job.model import Job

NAME = "elasticdl"
# The fields that a master passes on to the workers it creates.
ACCEPTS = (
    "image",
    "imagePullPolicy",
    "resources",
    "priorityClassName",
    "restartPolicy",
    "volumes",
    "volumeMounts",
)
DATA = ("training_data_dir", "evaluation_data_dir", "prediction_data_dir")
# Data to train, to evaluate and to predict with, by dialect.
DATA_OF = {
    "2019-07": DATA,
    "0.1": ("training_data", "evaluation_data", "prediction_data"),
    "0.2": ("training_data", "validation_data", "prediction_data"),
}
INIT = "checkpoint_filename_for_init"
LATER_INIT = "checkpoint_dir_for_init"
# Flags that only some dialects have.
ONLY_2019 = (*DATA, "records_per_task", "input_fn", "model_class")
ONLY_LATER = (
    "training_data", "prediction_data", "model_zoo", "model_params", "dataset_fn", "output",
    "num_minibatches_per_task", "data_reader_params", "get_model_steps", "use_async",
    "lr_staleness_modulation", "prediction_outputs_processor",
)  # fmt: skip
ONLY_01 = ("evaluation_data", INIT)
ONLY_02 = (
    "validation_data", "callbacks", "custom_data_reader", "aux_params", "distribution_strategy",
    "use_go_ps", "sync_version_tolerance", "log_loss_steps", "log_file_path", LATER_INIT,
)  # fmt: skip
# Flags with the same meaning, one of which each dialect has.
TWINS = (
    ("training_data_dir", "training_data"),
    ("evaluation_data_dir", "evaluation_data", "validation_data"),
    ("prediction_data_dir", "prediction_data"),
    ("records_per_task", "num_minibatches_per_task"),
    ("input_fn", "dataset_fn"),
    (INIT, LATER_INIT),
)
REQUIRED = {
    "2019-07": {"records_per_task": "the number of records in a task"},
    "0.1": {
        "model_zoo": "where the models are in the image",
        "num_minibatches_per_task": "the number of minibatches in a task",
    },
    "0.2": {"model_zoo": "where the models are in the image"},
}


def is_later_native(job: Job) -> bool:
    """Whether the master is the bare pod that published versions need to create others."""
    dialect = job.options["dialect"]
    return bool(dialect == "0.2" or (dialect == "0.1" and is_native(job)))


def is_native(job: Job) -> bool:
    return bool(job.options["expansion"] == "native")
