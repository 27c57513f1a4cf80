"""After a failure everything is kept, and the important lines are shown."""

from pathlib import Path

from tests.e2e import logs
from tests.e2e.releases import Namespace
from tests.e2e.waiting import until

POD = """
apiVersion: v1
kind: Pod
metadata: {name: broken}
spec:
  restartPolicy: Never
  containers:
    - name: main
      image: local/busybox:1
      command: [sh, -c, "for n in $(seq 40); do echo line $n; done; exit 1"]
---
apiVersion: v1
kind: Pod
metadata: {name: lost}
spec:
  containers:
    - {name: main, image: "local/nowhere:1", imagePullPolicy: Never}
"""


def test_a_failure_shows_the_end_of_the_log_and_the_warnings(
    namespace: Namespace, tmp_path: Path
) -> None:
    """The last lines of the failed pod, why the other does not start, and where the rest is."""
    (tmp_path / "pods.yaml").write_text(POD)
    namespace.kubectl("create", "--filename", str(tmp_path / "pods.yaml"))
    until(lambda: namespace.objects("pods")[0]["status"]["phase"] == "Failed", "the pod fails")
    until(
        lambda: "ErrImageNeverPull" in namespace.kubectl("get", "events"),
        "there is a warning about the other",
    )
    shown = logs.keep("test_logs", namespace, tmp_path)
    assert "--- broken is Failed; the end of its log:" in shown
    assert "line 40" in shown
    assert "line 20" not in shown
    assert 'Container image "local/nowhere:1" is not present' in shown
    kept = tmp_path / "test_logs"
    assert "line 20" in (kept / "broken.log").read_text()
    assert {"objects.yaml", "events.txt", "lost.log"} <= {path.name for path in kept.iterdir()}
