"""angel-properties: a file of the properties of an Angel job, as Java writes such files.

chartgen reads `key=value`, `key: value` and `key value`, comments with '#' or '!', continued lines
and escapes such as \\u00e9, as Java does. A file is one job. Where Java lets the last value of a
key count, a key that is given twice is a problem here.

  chartgen render angel.properties -o charts
  chartgen convert angel.properties > job.yaml      # the job description that it means

Example
  angel.deploy.mode=KUBERNETES
  angel.kubernetes.container.image=tencentangel/angel:v3.0.0
  angel.job.name=lr
  angel.workergroup.number=2
  angel.ps.number=2

The properties mean what they mean to angel-submit: `chartgen explain angel-submit` says what each
of them becomes, what is different on purpose, and which commands to use.
"""

from chartgen.document import Document
from chartgen.native.angel import job
from chartgen.native.draft import Adopted


def adopt(document: Document) -> Adopted:
    """The job description that the properties mean."""
    return job.adopt(document, {}, "{}={}")
