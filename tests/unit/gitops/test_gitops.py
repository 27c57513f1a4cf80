"""Objects of Argo CD and Flux: what they say, and that the tools' own schemas accept them."""

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from tests.support.command_line import JOB, Typist
from tests.support.paths import ROOT
from tests.support.programs import require_built

CRDS = ROOT / ".cache/crds"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the schemas are 1.6 MB of YAML
PROJECT = """\
environments:
  staging: {namespace: ml-staging}
  production: {namespace: ml, cluster: production}
  far: {cluster: "https://far.example.com:6443"}
"""
GIT = "gitops: {%s, repository: 'https://example.com/training.git'}\n"
OCI = "gitops: {%s, registry: 'oci://registry.example.com/charts'}\n"


@pytest.fixture
def repo(typed: Typist) -> Typist:
    (typed.folder / "jobs").mkdir()
    (typed.folder / "environments/staging").mkdir(parents=True)
    typed.job("mnist", file="jobs/mnist.yaml")
    typed.job("cifar", file="jobs/cifar.yaml")
    values = typed.folder / "environments/staging/mnist.yaml"
    values.write_text("roles: {worker: {replicas: 1}}\n")
    return typed


def objects(typed: Typist, gitops: str, *words: str) -> dict[str, Any]:
    """What `chartgen gitops` writes, by the kind and name of each object."""
    (typed.folder / "chartgen.yaml").write_text(PROJECT + gitops)
    done = typed("gitops", *words)
    assert done.code == 0, done.err
    by_name = {}
    for path in sorted((typed.folder / "gitops").rglob("*.yaml")):
        manifest = yaml.safe_load(path.read_text("utf-8"))
        by_name[f"{manifest['kind']}/{manifest['metadata']['name']}"] = manifest
    return by_name


def test_an_application_for_each_job_and_environment(repo: Typist) -> None:
    by_name = objects(repo, GIT % "tool: argocd")
    assert by_name.keys() == {
        f"Application/{job}-{where}"
        for job in ("mnist", "cifar")
        for where in ("staging", "production", "far")
    }
    staging = by_name["Application/mnist-staging"]["spec"]
    assert staging["source"] == {
        "repoURL": "https://example.com/training.git",
        "targetRevision": "main",
        "path": "charts/mnist",
        "helm": {"releaseName": "mnist", "skipTests": True, "valueFiles": ["values-staging.yaml"]},
    }
    assert staging["destination"] == {
        "server": "https://kubernetes.default.svc",
        "namespace": "ml-staging",
    }
    elsewhere = by_name["Application/mnist-production"]["spec"]
    assert elsewhere["destination"] == {"name": "production", "namespace": "ml"}
    assert "valueFiles" not in elsewhere["source"]["helm"]
    far = by_name["Application/mnist-far"]["spec"]["destination"]
    assert far == {"server": "https://far.example.com:6443", "namespace": "far"}


def test_charts_that_are_not_there_yet_are_named(repo: Typist) -> None:
    (repo.folder / "chartgen.yaml").write_text(PROJECT + OCI % "tool: argocd")
    done = repo("gitops")
    assert done.code == 0
    assert "charts/mnist: missing; chartgen render writes it\n" in done.err
    repo("render", "-q")
    assert "not there yet" not in repo("gitops").err


def test_argo_cd_replaces_changed_jobs_and_leaves_stopped_ones_alone(repo: Typist) -> None:
    spec = objects(repo, GIT % "tool: argocd")["Application/mnist-staging"]["spec"]
    assert spec["syncPolicy"]["automated"] == {"prune": True, "selfHeal": False}
    assert "RespectIgnoreDifferences=true" in spec["syncPolicy"]["syncOptions"]
    (ignored,) = spec["ignoreDifferences"]
    assert (ignored["kind"], ignored["jsonPointers"]) == ("Job", ["/spec/suspend"])


def test_an_application_set(repo: Typist) -> None:
    by_name = objects(repo, GIT % "applicationSet: true")
    assert by_name.keys() == {"ApplicationSet/chartgen"}
    spec = by_name["ApplicationSet/chartgen"]["spec"]
    elements = spec["generators"][0]["list"]["elements"]
    assert [element["name"] for element in elements] == [
        *("cifar-far", "mnist-far", "cifar-production", "mnist-production"),
        *("cifar-staging", "mnist-staging"),
    ]
    assert elements[-1]["valueFiles"] == ["values-staging.yaml"]
    assert spec["template"]["spec"]["source"]["path"] == "{{ .path }}"


@pytest.mark.parametrize("end", ["", "/"])
def test_charts_from_a_registry_for_argo_cd(repo: Typist, end: str) -> None:
    (repo.folder / "chartgen.yaml").write_text(PROJECT)
    repo("render", "-q")
    gitops = (OCI % "tool: argocd").replace("/charts'", f"/charts{end}'")
    source = objects(repo, gitops)["Application/mnist-staging"]["spec"]["source"]
    assert source["repoURL"] == "registry.example.com/charts"
    assert (source["chart"], source["targetRevision"]) == ("mnist", "0.1.0")


def test_flux_from_git(repo: Typist) -> None:
    by_name = objects(repo, GIT % "tool: flux")
    assert by_name["GitRepository/jobs"]["spec"]["ref"] == {"branch": "main"}
    spec = by_name["HelmRelease/mnist-staging"]["spec"]
    assert spec["chart"]["spec"]["valuesFiles"] == [
        "charts/mnist/values.yaml",
        "charts/mnist/values-staging.yaml",
    ]
    assert spec["install"]["disableWait"] is True
    assert spec["upgrade"]["disableWait"] is True
    assert spec["targetNamespace"] == "ml-staging"
    assert "kubeConfig" not in spec
    secret = by_name["HelmRelease/mnist-production"]["spec"]["kubeConfig"]["secretRef"]
    assert secret == {"name": "production-kubeconfig"}
    secret = by_name["HelmRelease/mnist-far"]["spec"]["kubeConfig"]["secretRef"]
    assert secret == {"name": "far-kubeconfig"}


def test_flux_from_a_registry(repo: Typist) -> None:
    (repo.folder / "chartgen.yaml").write_text(PROJECT)
    repo("render", "-q")
    by_name = objects(repo, OCI % "tool: flux")
    assert "GitRepository/jobs" not in by_name
    source = by_name["OCIRepository/mnist-staging"]["spec"]
    assert source["url"] == "oci://registry.example.com/charts/mnist"
    assert source["ref"] == {"tag": "0.1.0"}
    spec = by_name["HelmRelease/mnist-staging"]["spec"]
    assert spec["chartRef"] == {"kind": "OCIRepository", "name": "mnist-staging"}
    assert spec["values"] == {"roles": {"worker": {"replicas": 1}}}


def test_a_version_is_the_tag_that_a_registry_can_hold(repo: Typist) -> None:
    """Helm pushes 1.2.3+b1 as 1.2.3_b1."""
    repo.job("mnist", text=f"{JOB.format(name='mnist')}version: 1.2.3+b1\n", file="jobs/mnist.yaml")
    (repo.folder / "chartgen.yaml").write_text(PROJECT + OCI % "tool: flux")
    assert repo("render").code == 0
    source = objects(repo, OCI % "tool: flux")["OCIRepository/mnist-staging"]["spec"]
    assert source["ref"] == {"tag": "1.2.3_b1"}


def test_flux_with_manifests(repo: Typist) -> None:
    by_name = objects(repo, GIT % "tool: flux" + "format: manifests\noutput: deploy\n")
    spec = by_name["Kustomization/mnist-staging"]["spec"]
    assert spec["path"] == "./deploy/staging/mnist"
    assert (spec["prune"], spec["wait"]) == (True, False)


def test_check_and_stale_objects(repo: Typist) -> None:
    objects(repo, GIT % "tool: argocd")
    assert repo("gitops", "--check").code == 0
    (repo.folder / "jobs/cifar.yaml").unlink()
    done = repo("gitops", "--check")
    assert done.code == 1
    assert "gitops/argocd/staging/cifar.yaml: no longer generated\n" in done.out
    assert repo("gitops", "-q").code == 0
    assert not (repo.folder / "gitops/argocd/staging/cifar.yaml").exists()


def test_flux_gets_the_url_of_ssh_that_it_accepts(repo: Typist) -> None:
    short = "gitops: {tool: %s, repository: 'git@example.com:team/training.git'}\n"
    url = objects(repo, short % "flux")["GitRepository/jobs"]["spec"]["url"]
    assert url == "ssh://git@example.com/team/training.git"
    source = objects(repo, short % "argocd")["Application/mnist-far"]["spec"]["source"]
    assert source["repoURL"] == "git@example.com:team/training.git"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--tool", "flux", "--repository", "git://a/b"), "Flux takes only https, http and ssh"),
        (("--repository", "training"), "expected a URL such as https://example.com/training.git"),
        (("--registry", "example.com/charts"), "expected a URL such as oci://example.com/charts"),
    ],
)
def test_addresses_that_the_tools_would_refuse(
    typed: Typist, words: tuple[str, ...], message: str
) -> None:
    typed.job()
    done = typed("gitops", "mnist.yaml", "-o", "-", *words)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_manifests_are_in_git_even_with_a_registry(repo: Typist) -> None:
    project = f"{PROJECT}format: manifests\n{OCI % 'tool: flux'}"
    (repo.folder / "chartgen.yaml").write_text(project)
    done = repo("gitops")
    assert done.code == 2
    assert "say where the charts are: --repository URL" in done.err


def test_a_project_below_the_top_of_its_repository(repo: Typist) -> None:
    """Paths count from the top, where the tools look for them."""
    (repo.folder.parent / ".git").mkdir()
    name = repo.folder.name
    by_name = objects(repo, GIT % "tool: argocd")
    assert by_name["Application/mnist-far"]["spec"]["source"]["path"] == f"{name}/charts/mnist"
    chart = objects(repo, GIT % "tool: flux")["HelmRelease/mnist-staging"]["spec"]["chart"]["spec"]
    assert chart["chart"] == f"./{name}/charts/mnist"
    assert chart["valuesFiles"][1] == f"{name}/charts/mnist/values-staging.yaml"
    for path, where in (("ml/jobs", "ml/jobs/charts/mnist"), (".", "charts/mnist")):
        by_name = objects(repo, GIT % f"path: {path}")
        assert by_name["Application/mnist-far"]["spec"]["source"]["path"] == where
    repo.patch.chdir(repo.folder.parent)
    done = repo("gitops", name, "--check")
    assert (done.code, done.out) == (0, ""), "a directory stands for the project in it"


def test_some_jobs_of_a_project(repo: Typist) -> None:
    """They are not written over all of them: the tools would remove the others' jobs."""
    objects(repo, GIT % "tool: argocd")
    before = repo.tree("gitops")
    done = repo("gitops", "jobs/mnist.yaml")
    assert done.code == 2
    assert "name no jobs, or another directory with -o DIR" in done.err
    assert repo.tree("gitops") == before
    printed = [*yaml.safe_load_all(repo("gitops", "jobs/mnist.yaml", "-o", "-").out)]
    names = {f"mnist-{where}" for where in ("far", "production", "staging")}
    assert {manifest["metadata"]["name"] for manifest in printed} == names


def test_jobs_of_a_directory(typed: Typist) -> None:
    (typed.folder / "jobs").mkdir()
    for name in ("a", "b"):
        typed.job(name, file=f"jobs/{name}.yaml")
    words = ("--repository", "https://example.com/a.git", "-o", "-")
    printed = [*yaml.safe_load_all(typed("gitops", "jobs", *words).out)]
    assert [manifest["metadata"]["name"] for manifest in printed] == ["a", "b"]


def test_jobs_without_a_project(typed: Typist) -> None:
    typed.job()
    words = ("gitops", "mnist.yaml", "-o", "-", "-n", "research")
    done = typed(*words, "--repository", "https://example.com/a.git")
    application = yaml.safe_load(done.out)
    assert application["metadata"]["name"] == "mnist"
    assert application["spec"]["destination"]["namespace"] == "research"
    assert typed(*words).code == 2
    assert typed("gitops").code == 2
    for option in ("--check", "--force"):
        done = typed("gitops", "mnist.yaml", "-o", "-", option)
        assert (done.code, done.out) == (2, "")
        assert "--check and --force need a directory" in done.err


@pytest.mark.parametrize(
    ("line", "rule"),
    [("ttlSecondsAfterFinished: 60\n", "gitops-ttl"), ("runtimeId: abcd\n", "gitops-runtime-id")],
)
def test_what_does_not_go_with_gitops_is_a_warning(repo: Typist, line: str, rule: str) -> None:
    repo.job(text=JOB.format(name="mnist") + line, file="jobs/mnist.yaml")
    (repo.folder / "chartgen.yaml").write_text(PROJECT + GIT % "tool: argocd")
    done = repo("gitops")
    assert done.code == 0
    assert "jobs/mnist.yaml:7:1: warning: " in done.err
    assert f"({rule})" in done.err
    assert repo("gitops", "--strict").code == 1


def test_environments_in_one_place_are_a_warning(repo: Typist) -> None:
    text = "environments:\n  a: {namespace: ml}\n  b: {namespace: ml}\n"
    text += "  c: {namespace: ml, cluster: x}\n"
    (repo.folder / "environments/staging/mnist.yaml").unlink()
    (repo.folder / "environments/staging").rmdir()
    (repo.folder / "chartgen.yaml").write_text(text + GIT % "tool: flux")
    done = repo("gitops")
    assert done.code == 0
    assert "chartgen.yaml:3:3: warning: the namespace 'ml' is also that of" in done.err
    assert "(gitops-same-place)\n    3 |   b: {namespace: ml}\n" in done.err
    assert done.err.count("(gitops-same-place)") == 1
    assert repo("gitops", "--strict").code == 1


def test_objects_of_two_jobs_have_two_names(repo: Typist) -> None:
    (repo.folder / "environments/staging/mnist.yaml").unlink()
    (repo.folder / "environments/staging").rmdir()
    repo.job("mnist-a", file="jobs/mnist-a.yaml")
    text = "environments: {a-b: {}, b: {}}\n"
    (repo.folder / "chartgen.yaml").write_text(text + GIT % "tool: argocd")
    done = repo("gitops")
    assert done.code == 1
    jobs = "'mnist' in 'a-b' and 'mnist-a' here"
    assert f"the objects for the jobs {jobs} would both be named 'mnist-a-b'" in done.err
    assert "(gitops-same-name)" in done.err
    assert not (repo.folder / "gitops").exists()


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    "gitops",
    [
        GIT % "tool: argocd",
        GIT % "applicationSet: true",
        OCI % "tool: argocd",
        OCI % "tool: argocd, applicationSet: true",
        GIT % "tool: flux",
        OCI % "tool: flux",
        GIT % "tool: flux" + "format: manifests\noutput: deploy\n",
        GIT % "tool: argocd" + "format: manifests\noutput: deploy\n",
    ],
)
def test_the_tools_own_schemas_accept_them(repo: Typist, gitops: str) -> None:
    """Strictly: a field that a schema does not have is a mistake too."""
    require_built(CRDS, "crds")
    for name, manifest in objects(repo, gitops).items():
        problems = [error.message for error in validator(manifest).iter_errors(manifest)]
        assert problems == [], name


def test_the_schemas_refuse_what_is_wrong(repo: Typist) -> None:
    require_built(CRDS, "crds")
    release = objects(repo, GIT % "tool: flux")["HelmRelease/mnist-staging"]
    release["spec"]["install"]["disableWaits"] = True
    assert list(validator(release).iter_errors(release))


def validator(manifest: dict[str, Any]) -> Draft7Validator:
    return Draft7Validator(schemas()[manifest["apiVersion"], manifest["kind"]])


@functools.cache
def schemas() -> dict[tuple[str, str], Any]:
    by_version = {}
    for path in sorted(Path(CRDS).glob("*.yaml")):
        for document in yaml.load_all(path.read_text("utf-8"), Loader=LOADER):
            for key, schema in _versions(document):
                by_version[key] = _closed(schema)
    return by_version


def _versions(document: Any) -> Iterator[tuple[tuple[str, str], Any]]:
    if document and document.get("kind") == "CustomResourceDefinition":
        spec = document["spec"]
        for version in spec["versions"]:
            key = (f"{spec['group']}/{version['name']}", spec["names"]["kind"])
            yield key, version["schema"]["openAPIV3Schema"]


def _closed(schema: Any) -> Any:
    """The same schema, which refuses fields that it does not name."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed(value) for key, value in schema.items()}
    free = schema.get("x-kubernetes-preserve-unknown-fields")
    properties = schema.get("properties")
    if isinstance(properties, dict) and not free and "metadata" not in properties:
        closed.setdefault("additionalProperties", False)
    return closed
