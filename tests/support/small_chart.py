"""A small chart written by hand, with one Job and one test, which is checked quickly."""

from pathlib import Path

FILES = {
    "Chart.yaml": "{apiVersion: v2, name: mnist, version: 1.2.3, icon: https://example.com/icon.png}\n",
    "values.yaml": "image: registry.example.com/mnist:1.4\n",
    "values.schema.json": '{"properties": {"image": {}}, "additionalProperties": false}\n',
    "templates/job.yaml": """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-{{ .Values.image | sha256sum | trunc 6 }}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: tensorflow
          image: {{ .Values.image }}
          resources: {limits: {cpu: 1}}
""",
    "templates/tests/pod.yaml": """\
apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}-test
  annotations: {helm.sh/hook: test}
spec:
  restartPolicy: Never
  containers:
    - {name: test, image: busybox:1.37.0, resources: {limits: {cpu: 1}}}
""",
}


def write(folder: Path) -> Path:
    """Put the chart into a folder; gives its path."""
    chart = folder / "mnist"
    for path, text in FILES.items():
        place = chart / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    return chart
