"""DaskJob: an object with an image and a number of workers; see `chartgen convert job.yaml`."""
from chartgen.api import Draft, Format

FORMAT = Format("dask", "a DaskJob (apiVersion: example.com/v1)", kind="daskjob", title="DaskJob")


def adopt(document):
    draft = Draft(document)
    draft.take(("name",), document.data["metadata"]["name"], ("metadata", "name"))
    draft.take(("framework",), "dask", ("kind",))
    draft.take(("image",), document.data["spec"]["image"], ("spec", "image"))
    roles = {"scheduler": {}, "worker": {"replicas": document.data["spec"]["workers"]}}
    draft.take(("roles",), roles, ("spec", "workers"))
    return draft.adopted(())
