"""What chartgen says of Jobs without a schema is what a real API server says."""

import json

import pytest

from tests.e2e.process import Failure
from tests.e2e.releases import Namespace
from tests.support.job_specs import ACCEPTED, REFUSED, Spec, job


def _dry_run(namespace: Namespace, spec: Spec) -> None:
    path = namespace.folder / "job.json"
    path.write_text(json.dumps(job(**spec)))
    namespace.kubectl("create", "--dry-run=server", "--filename", str(path))


def test_the_api_server_refuses_and_accepts_these_jobs(namespace: Namespace) -> None:
    for spec in ACCEPTED:
        _dry_run(namespace, spec)
    for field, spec in REFUSED:
        with pytest.raises(Failure) as refusal:
            _dry_run(namespace, spec)
        assert field in str(refusal.value)
