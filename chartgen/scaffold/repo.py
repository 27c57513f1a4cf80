"""A repository of jobs, for `chartgen init --repo`."""

from chartgen import resources
from chartgen.k8s.images import PLACEHOLDER
from chartgen.scaffold.init import first_description

_FOLDER = "charts/init/repo"
_FILES = {
    "chartgen.yaml": "chartgen.yaml",
    ".gitattributes": "gitattributes",
    ".github/workflows/charts.yaml": "workflow.yaml",
    ".pre-commit-config.yaml": "pre-commit-config.yaml",
}


def files() -> dict[str, str]:
    """Its files by their paths: the project file, a first job, and what CI and editors need."""
    texts = {path: resources.text(f"{_FOLDER}/{name}") for path, name in _FILES.items()}
    texts["jobs/example.yaml"] = first_description("example", "tensorflow", PLACEHOLDER, {})
    return texts
