"""mars: a call of `new_cluster(...)`, the function of Mars and Xorbits that starts a cluster.

chartgen reads a Python file with one call of new_cluster in it, or the call alone. The file is read
and never run.

  chartgen render cluster.py -o charts        # a chart of the cluster; the file names the job
  chartgen convert cluster.py > job.yaml      # the job description that the call means

Values
  An argument is a number, text, a list, a dict, True, False or None; arithmetic with numbers (`16 *
  1024 ** 3`); a HostPathVolumeConfig(...) or EmptyDirVolumeConfig(...); an f-string of such values;
  or a name that is assigned once, at the top level of the file or of the function around the call,
  even if it is a list that is then appended to. The first argument, Mars' Kubernetes client, can be
  any expression. Everything else is known only when Python runs, and is refused.

Versions
  Mars 0.3 to 0.6   roles scheduler, worker and web (`mars.dialect: "0.3"`, the default)
  Mars 0.7 to 0.10  roles supervisor and worker (`mars.dialect: "0.7"`): a call with supervisor_num
                    or another such argument, web_port or service_name, or with an image of these
  Xorbits           the same with other programs (`mars.dialect: xorbits`): a call of
                    xorbits.deploy.kubernetes, or with its arguments or its image
  The import decides whose new_cluster it is: those of mars.deploy.kubernetes and
  xorbits.deploy.kubernetes are read; those of mars.deploy.ray, local and yarn are refused by name.

Arguments
  scheduler_num, worker_num,      replicas of the roles scheduler, worker and web
    web_num
  worker_cpu=4, worker_mem='16g'  roles.worker.resources; as before, only workers have limits
  worker_mem_limit_ratio          a higher limit of memory
  worker_spill_paths              volumes and volumeMounts of the workers, and mars.spillDirs
  worker_cache_mem,               mars.cacheMemory, mars.minCacheMemory: 4Gi or 20%
    worker_min_cache_mem
  min_worker_num                  mars.minWorkers: how many workers the driver waits for; all of
                                  them by default, or if there are fewer
  timeout                         mars.timeout: after how many seconds it gives up; never by default
  service_port,                   port of all roles, or of one
    web_service_port, ...
  extra_env, extra_labels,        env, labels and volumes of the job and of its roles
    extra_volumes,
    worker_extra_env, ...
  extra_modules, ...              env.MARS_LOAD_MODULES
  pre_stop_command                container.lifecycle
  service_type                    must be NodePort, as with Mars; mars.serviceType sets another type
  log_when_fail                   nothing: logs stay in the pods
  image                           image; by default the newest of the version
  namespace                       helm install -n: a chart carries no namespace

Mars 0.7 to 0.10 and Xorbits
  supervisor_num                  must be 1, because sessions have been seen to hang in a cluster
                                  with two
  supervisor_cpu, supervisor_mem  requests of roles.supervisor; of Xorbits 1 and 4G by default
  web_port                        roles.supervisor.port, 7104 by default
  service_port,                   roles.worker.port; the supervisor itself listens on 7103
    worker_service_port
  worker_cache_mem                mars.cacheMemory, 40% by default
  use_local_image                 imagePullPolicy: Never
  EmptyDirVolumeConfig            is in memory by default, as since Mars 0.8; size_limit is kept
  web_num, web_cpu, web_mem,      dropped: these versions accept them and do not use them
    worker_min_cache_mem
  service_name, cluster_type,     dropped: the chart has a Service of its own
    readiness_service_name
  pip, conda                      dropped with a warning: install the packages in the image
  worker_spill_paths of Xorbits   dropped with a warning: it never wrote to them
  external_storage                refused

The program that uses the cluster
  The cluster and the program can be one job: add the role driver to the description, as the page of
  the framework shows.

What stays the same
  - Roles, ports, environment variables, volumes, modules, the label mars/service-type, and the
    NodePort of the web service.
  - Schedulers and workers find each other through the Kubernetes API: a call means
    `mars.discovery: api`. A description means `endpoints`, which needs no rights;
    `--set mars.discovery=endpoints` changes to that.

What is different, on purpose
  - The web service always gets the schedulers' names, because that of Mars 0.6.0 fails when it asks
    Kubernetes.
  - Mars' own probe, which takes three seconds of a CPU each time, runs only until a process has
    started. From then on, the process is ready as long as it listens.
  - Workers are numbered Jobs. Rescaling adds or removes those with the highest numbers and leaves
    all other pods alone.
  - /dev/shm is a volume; Mars 0.6 remounted it with sudo, which needs a privileged container.
  - MARS_USE_CGROUP_STAT is not set, because Mars 0.6.0 fails with it. Mars measures its own
    processes instead; the page of the framework says how much memory a worker needs then.
  - What Mars ignored, or refused only when half of the cluster was running, is a problem with its
    line and column: misspelt keywords; CPUs as text or without memory; text for
    worker_spill_paths; sizes such as 16gibberish or lots; a label mars/service-type; no web
    service; a min_worker_num above worker_num.
  - Workers of Mars 0.7 and later and of Xorbits get the name of the supervisor; no pod uses the
    Kubernetes API, and the chart brings no rights.

Commands, for the file cluster.py
  install  before  pip install kubernetes, and the right to create namespaces and roles
           now     nothing, and only the rights that helm install needs
  start    before  cluster = new_cluster(api_client, worker_num=100, worker_cpu=4,
                                         worker_mem='16g', min_worker_num=95)
           now     chartgen render cluster.py -o charts
                   helm install cluster charts/cluster
  timeout  before  new_cluster(..., timeout=600)
           now     --set mars.timeout=600: the driver stops waiting for workers
  connect  before  new_session(cluster.endpoint).as_default()
           now     in the driver, new_session(os.environ['MARS_ENDPOINT']).as_default();
                   from outside, with the address that helm install prints
  rescale  before  cluster.rescale_workers(20)
           now     helm upgrade cluster charts/cluster --reuse-values \\
                     --set roles.worker.replicas=20
  pods     before  kubectl get pods -n mars-ns-... -l mars/service-type=marsworker
           now     kubectl get pods \\
                     -l mars/service-type=marsworker,app.kubernetes.io/instance=cluster
  stop     before  cluster.stop()
           now     helm uninstall cluster; with a driver, its end stops the rest
"""

import re
from math import ceil

from chartgen import resources, schema
from chartgen.document import Document, Path
from chartgen.k8s.quantities import in_units
from chartgen.native.draft import Adopted, Draft
from chartgen.native.mars import dialects, later, refusals
from chartgen.native.mars.call import module_of, plain_arguments, with_supervisors
from chartgen.native.mars.dialects import SCHEDULERS, XORBITS, Dialect
from chartgen.native.mars.sizes import in_bytes, quantity, quantity_or_percentage
from chartgen.native.mars.volumes import take_spill_paths, take_volumes
from chartgen.native.schemas import native_schema
from chartgen.startup.typing import Any

_GROUP = "MARS_K8S_GROUP_LABELS"
_DRIVER = (
    "The code that used the cluster can be a role of the job: add a driver whose command runs it. "
    "The job ends when the driver ends. "
    "The driver finds the cluster with {}(os.environ['MARS_ENDPOINT'])."
)
_SESSION = {"0.3": "new_session", "0.7": "mars.new_session", "xorbits": "xorbits.init"}
_DISCOVERY = (
    "as with new_cluster: pods find each other through the Kubernetes API; "
    "endpoints needs no rights"
)


def adopt(document: Document) -> Adopted:
    """The job description that a call means; if parts are refused, the description of the rest."""
    call, problems = plain_arguments(document)
    dialect = dialects.recognize(call, module_of(document))
    if dialect is not SCHEDULERS:
        call = with_supervisors(call)
    problems += [*refusals.check(call), *dialects.check(call, dialect)]
    sound: Document | None = call
    if problems:
        sound = schema.sound_part(call, native_schema("mars"), {})
    else:
        problems += refusals.check_pairs(call, dialect)
    if sound is None:
        return Adopted(None, (), tuple(problems))
    draft = Draft(sound)
    _describe(draft, dialect)
    return draft.adopted(problems)


def _describe(draft: Draft, dialect: Dialect) -> None:
    """Everything that a call says, as a job description."""
    arguments = draft.source.data
    draft.take(("name",), _name(draft.source.file), ())
    draft.note(("name",), "new_cluster has no name: this is the file's name, if it can be one")
    draft.take(("framework",), "mars", ())
    draft.take(("image",), arguments.get("image", dialect.image), ("image",))
    if "image" not in arguments:
        text = "the newest image of this version; new_cluster used that of the Mars that called it"
        draft.note(("image",), text)
    draft.take(("roles",), {}, ())
    draft.note(("roles",), _DRIVER.format(_SESSION[dialect.name]))
    for role in dialect.roles:
        _describe_role(draft, role, dialect)
    _describe_all_pods(draft, dialect)
    if dialect is SCHEDULERS:
        draft.data["mars"] = {"discovery": "api", **draft.data.get("mars", {})}
        draft.note(("mars", "discovery"), _DISCOVERY)
    else:
        later.describe(draft, dialect)
    _describe_options(draft)
    _note_what_is_left_out(draft)


def _name(file: str) -> str:
    """The file's own name as a job's, if it can be one."""
    stem = file.replace("\\", "/").rpartition("/")[2]
    slug = re.sub(r"[^a-z0-9]+", "-", stem.removesuffix(".py").lower()).strip("-")
    name_schema = resources.data("schemas/job.schema.json")["definitions"]["name"]
    return slug if stem.endswith(".py") and schema.accepts(name_schema, slug) else "mars"


def _describe_role(draft: Draft, role: str, dialect: Dialect) -> None:
    arguments, path = draft.source.data, ("roles", role)
    draft.take(path, {}, (f"{role}_num",))
    draft.take((*path, "replicas"), int(arguments.get(f"{role}_num", 1)), (f"{role}_num",))
    for keyword in (f"{role}_service_port", "service_port"):
        if keyword in arguments and role != "supervisor":
            draft.take((*path, "port"), int(arguments[keyword]), (keyword,))
            break
    _take_resources(draft, role)
    _take_env(draft, path, f"{role}_", dialect)
    _take_labels(draft, path, f"{role}_extra_labels", dialect)
    spill = arguments.get("worker_spill_paths")
    if role == "worker" and spill and dialect is not XORBITS:
        take_spill_paths(draft, spill, dialect)


def _take_resources(draft: Draft, role: str) -> None:
    """What each replica requests; as with Mars, only workers have limits."""
    arguments, path = draft.source.data, ("roles", role, "resources")
    keywords = {"cpu": f"{role}_cpu", "memory": f"{role}_mem"}
    requested: dict[str, Any] = {}
    if arguments.get(keywords["cpu"]):
        cpus = arguments[keywords["cpu"]]
        requested["cpu"] = int(cpus) if cpus == int(cpus) else f"{int(cpus * 1000)}m"
    if keywords["memory"] in arguments:
        requested["memory"] = quantity(arguments[keywords["memory"]])
    if not requested:
        return
    ratio = f"{role}_mem_limit_ratio"
    parts = ["requests"]
    if role == "worker":
        parts = ["limits"]  # a limit alone is the request, too: one number to set, not two
        if ratio in arguments and "memory" in requested:
            parts = ["limits", "requests"]
    first = keywords[next(iter(requested))]
    draft.take(path, {}, (first,))
    for part in parts:
        draft.take((*path, part), dict(requested), (first,))
        for name in requested:
            draft.origins[*path, part, name] = (keywords[name],)
    if len(parts) == 2:
        limit = in_bytes(arguments[keywords["memory"]]) * arguments[ratio]
        draft.take((*path, "limits", "memory"), in_units(limit), (ratio,))


def _take_env(draft: Draft, path: Path, prefix: str, dialect: Dialect) -> None:
    """Variables and modules, of a role or of all pods."""
    arguments = draft.source.data
    variables, modules = f"{prefix}extra_env", f"{prefix}extra_modules"
    variable = dialect.modules
    env = {key: str(value) for key, value in arguments.get(variables, {}).items()}
    if env.pop(_GROUP, None) is not None:
        draft.note(path, f"{variables}: {_GROUP} is left out: a release finds only its own pods")
    if modules in arguments and variable not in env:
        names = {*_listed(arguments[modules]), *_listed(arguments.get("extra_modules", []))}
        env[variable] = ",".join(sorted(names))
    if env:
        draft.take((*path, "env"), env, (variables if variables in arguments else modules,))
    if variable in env and modules in arguments:
        draft.origins[*path, "env", variable] = (modules,)


def _listed(modules: list[str] | str) -> list[str]:
    return modules.split(",") if isinstance(modules, str) else modules


def _take_labels(draft: Draft, path: Path, keyword: str, dialect: Dialect) -> None:
    labels = dict(draft.source.data.get(keyword, {}))
    if labels.pop(dialect.label, None) is not None:
        message = (
            f"the label {dialect.label!r} marks the role of a pod; with another value, "
            "Mars does not find its own pods"
        )
        draft.problem((keyword, dialect.label), message, "label-reserved", "remove it", key=True)
    if labels:
        draft.take((*path, "labels"), labels, (keyword,))


def _describe_all_pods(draft: Draft, dialect: Dialect) -> None:
    arguments = draft.source.data
    _take_env(draft, (), "", dialect)
    _take_labels(draft, (), "extra_labels", dialect)
    if objects := arguments.get("extra_volumes"):
        places: list[Path] = [("extra_volumes", index) for index in range(len(objects))]
        take_volumes(draft, (), objects, places, dialect)
    if command := arguments.get("pre_stop_command"):
        lifecycle = {"preStop": {"exec": {"command": command}}}
        draft.take(("container",), {"lifecycle": lifecycle}, ("pre_stop_command",))


def _describe_options(draft: Draft) -> None:
    arguments = draft.source.data
    for keyword, option, convert in (
        ("worker_cache_mem", "cacheMemory", quantity_or_percentage),
        ("worker_min_cache_mem", "minCacheMemory", quantity_or_percentage),
        ("min_worker_num", "minWorkers", int),
        ("timeout", "timeout", ceil),
    ):
        unread = option == "minCacheMemory" and draft.data["mars"].get("dialect")
        if keyword in arguments and not unread:
            draft.take(("mars", option), convert(arguments[keyword]), (keyword,))


def _note_what_is_left_out(draft: Draft) -> None:
    arguments = draft.source.data
    if namespace := arguments.get("namespace"):
        draft.in_namespace(namespace, "namespace", ("namespace",))
    if "log_when_fail" in arguments:
        draft.note((), "log_when_fail: logs stay in the pods; NOTES.txt says how to read them")
    for keyword in refusals.UNUSED_RATIOS:
        if keyword in arguments:
            draft.note((), f"{keyword}: not used by Mars, which limited only the workers' memory")
