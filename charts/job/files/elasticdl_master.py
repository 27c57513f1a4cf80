"""Run an ElasticDL master that writes events for TensorBoard, and let the chart serve them.

The master of July 2019 starts its own TensorBoard, creates a load balancer for it, and waits for it
to end. Here it finds a TensorBoard that ends at once, and creates nothing. This runs in the job's
image, on Python 3.5 or newer.
"""

import importlib
import os
import runpy
import sys
import tempfile

MASTER = "elasticdl.python.master.main"
MANAGER = "elasticdl.python.master.k8s_worker_manager"


def main():
    sys.path[0] = ""  # as with `python -m`
    folder = tempfile.mkdtemp()
    os.symlink("/bin/true", os.path.join(folder, "tensorboard"))
    os.environ["PATH"] = os.pathsep.join([folder, os.environ.get("PATH", os.defpath)])
    importlib.import_module(MANAGER).WorkerManager.start_tensorboard_service = lambda _: None
    runpy.run_module(MASTER, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
