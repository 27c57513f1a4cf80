"""Images: a reference as one text, or as repository, tag and digest."""

from collections.abc import Mapping

from chartgen.startup.typing import Any

PLACEHOLDER = (
    "registry.example.com/image:tag"  # what `chartgen init` writes if it is given no image
)


def reference(image: str | Mapping[str, Any]) -> str:
    """An image as one text; empty if it has no repository."""
    if isinstance(image, str):
        return image
    if not image.get("repository"):
        return ""
    text = str(image["repository"])
    if image.get("tag"):
        text += f":{image['tag']}"
    if image.get("digest"):
        text += f"@{image['digest']}"
    return text


def tag(image: str | Mapping[str, Any]) -> str:
    """The tag of an image; empty if it has none."""
    name = reference(image).partition("@")[0].rpartition("/")[2]
    return name.partition(":")[2]
