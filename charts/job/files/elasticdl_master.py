"""Run an ElasticDL master that writes events for TensorBoard, and let the chart serve them.

An ElasticDL master starts its own TensorBoard, creates a load balancer for it, and waits for it to
end. Here it finds a TensorBoard that ends at once, and creates nothing. This runs in the job's
image, on Python 3.5 or newer.
"""

import importlib
import os
import runpy
import sys
import tempfile

MASTER = "elasticdl.python.master.main"
# What creates the load balancer: the first in July 2019, the second in 0.1 and 0.2.
MANAGER = "elasticdl.python.master.k8s_worker_manager"
CLIENT = "elasticdl.python.common.k8s_tensorboard_client"


class NoTensorBoard:
    """A client that creates nothing, and needs no access to the Kubernetes API."""

    def __init__(self, **_):
        pass

    def start_tensorboard_service(self):
        pass


def main():
    sys.path[0] = ""  # as with `python -m`
    folder = tempfile.mkdtemp()
    os.symlink("/bin/true", os.path.join(folder, "tensorboard"))
    os.environ["PATH"] = os.pathsep.join([folder, os.environ.get("PATH", os.defpath)])
    try:
        importlib.import_module(CLIENT).TensorBoardClient = NoTensorBoard
    except ImportError:
        importlib.import_module(MANAGER).WorkerManager.start_tensorboard_service = lambda _: None
    runpy.run_module(MASTER, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
