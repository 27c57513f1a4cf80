"""Custom: any other system, whose roles and variables the job description states itself.

Dask, Ray, XGBoost, a launcher of your own: whatever needs replicas that know each other. Texts of
the description may contain late values, such as %{index}, which are filled in when Helm installs
the chart, so they follow `--set roles.worker.replicas=8`. `chartgen list examples` has several.

Roles
  Any names. A role with a `port` has a Service, and so a DNS name, for each replica.

Example
  name: primes
  framework: custom
  image: registry.example.com/dask:2026.8
  custom:
    decides: driver
    serves: [scheduler, worker]
  roles:
    scheduler:
      port: 8786
      command: [dask, scheduler, --port, "%{port}"]
    worker:
      replicas: 4
      command: [dask, worker, "tcp://%{host scheduler}:%{port scheduler}", --name, "w%{index}"]
    driver:
      command: [python, /app/primes.py]
      env: {DASK_SCHEDULER_ADDRESS: "tcp://%{host scheduler}:%{port scheduler}"}

Late values
  In the `env`, `command` and `args` of roles, and of the job for all roles:
    %{index}                the replica's own index, from 0
    %{rank}                 its index among the replicas of all roles, in the order of the roles
    %{first}                1 in the first replica of a role, 0 in the others
    %{role}                 the name of its role
    %{if first}A%{else}B%{end}  A in the first replica of a role, B in the others
    %{count}, %{count master worker}
                            how many replicas its role has, or the roles that are named
    %{count worker * 8}, %{count worker * devices}
                            the same, times a number, or times the devices of the replica
    %{devices}, %{devices worker}
                            how many devices a replica requests, at least 1
    %{host}, %{host worker}, %{host worker 3}
                            the DNS name of the replica, of the first one of a role, or of another
    %{port}, %{port worker}, %{port worker 3}
                            the same for ports
    %{peers worker}         the addresses of all replicas of a role, or of several, with commas
    %{peers worker "{host} slots={devices}" "\\n"}
                            the same with another item and separator: in the item, {host}, {port},
                            {index}, {role} and {devices} are those of the peer. Both are in double
                            quotes, where \\n, \\t, \\" and \\\\ are escapes, or in single quotes,
                            where there are none: '"{host}:{port}"'
    %{id}, %{job}, %{release}, %{namespace}
                            the runtime id, the names of the job and of the release, the namespace
  In custom.files, what differs between replicas has to name a role.
  %%{ becomes %{, and %%%{index} becomes a % and an index. Everything else stays as it is: braces,
  {{, ${NAME}, a single %; and $(NAME) is what it is in any pod. In YAML, a text that begins with %
  needs quotes. What `--set roles.worker.env.X=...` passes at install is read by the same rules.

Options
  custom.decides     the role that decides how the job ends; by default the only role. With none,
                     the job runs until it is removed.
  custom.succeeds: all    the job succeeds when all replicas of that role do (the default)
  custom.succeeds: first  its first replica decides alone
  custom.succeeds: any    the job succeeds with the first replica that does, and fails when all fail
  custom.serves      roles that run until the job has ended, and are released then
  custom.ranks       the roles in the order of %{rank}; by default in that of the description
  custom.rescalable  roles whose replicas may come and go: a change of their number leaves the
                     others as they are, unless a text contains the number
  custom.hostnames   roles whose pods have %{host} as their hostname; otherwise it has a suffix that
                     others do not know
  custom.files       files by name, in the directory /etc/custom of every container
  All but the files are fixed when the chart is rendered.

Environment
  Nothing but what the job says. Lists of peers are in a ConfigMap, and in variables of the
  container that begin with CHARTGEN_LIST_.

Restarts
  backoffLimit and restartPolicy of a role say what happens to a replica that fails: by default it
  is started again in its pod (OnFailure), up to 6 times. If one replica cannot rejoin the others,
  let all fail and come back, with a backoffLimit of about 10. If a replica needs a new address, or
  has to wait for others again, restartPolicy: Never makes a new pod.
"""

from collections.abc import Iterator

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.job.model import Job
from chartgen.plan import notation
from chartgen.plan.late import Given, Host, Peers, text
from chartgen.plan.model import Config, Mount, Plan, RolePlan
from chartgen.startup.typing import Any
from chartgen.words import did_you_mean, either

NAME = "custom"
TITLE = "Custom"
ROLES: dict[str, str] = {}  # the job names its own
FIRST = ("worker",)
OPTIONS = {
    "decides": None,
    "succeeds": ("all", "first", "any"),
    "serves": None,
    "ranks": None,
    "rescalable": None,
    "hostnames": None,
    "files": None,
}
CONTAINER = "main"

_FILES = "custom.files"
_NOBODY = "none"
_TEXTS = ("command", "args")
_MOST = 1_000  # wrong late values to report


def check(job: Job, document: Document) -> Iterator[Problem]:
    """Check that roles are named that exist, and that every late value can be filled in."""
    yield from _check_end(job, document)
    for option in ("serves", "ranks", "rescalable", "hostnames"):
        for number, role in enumerate(job.options.get(option, ())):
            if role not in job.roles:
                yield _unknown_role((NAME, option, number), role, job, document)
    yield from _check_texts(job, document)


def _check_end(job: Job, document: Document) -> Iterator[Problem]:
    role = job.options.get("decides", "")
    if not role and len(job.roles) > 1:
        message = f"nothing decides how the job ends; expected custom.decides: {either(job.roles)}"
        hint = f"custom.decides: {_NOBODY} is a job that runs until it is removed"
        yield document.missing(("roles",), message, "role-decides-missing", hint, key=True)
    elif role and role != _NOBODY and role not in job.roles:
        yield _unknown_role((NAME, "decides"), role, job, document)
    elif (last := _completion_role(job)) and not job.replicas(last):
        message = f"roles.{last} decides how the job ends, but has no replicas; expected at least 1"
        yield document.problem(("roles", last, "replicas"), message, "role-no-replicas")


def _unknown_role(path: Path, role: str, job: Job, document: Document) -> Problem:
    message = f"this job has no role {role!r}; expected {either(job.roles)}"
    return document.problem(path, message, "role-unknown", did_you_mean(role, job.roles))


def _check_texts(job: Job, document: Document) -> Iterator[Problem]:
    """The problems of every text that may have late values, each once."""
    problems: dict[Problem, None] = {}
    for path, value, reader in _texts(job):
        for problem in notation.read(value, reader)[1]:
            problems[document.place(path, problem)] = None
        if len(problems) > _MOST:
            break
    yield from problems


def _texts(job: Job) -> Iterator[tuple[Path, str, notation.Reader]]:
    names = {name: role.port is not None for name, role in job.roles.items()}
    for name, role in job.roles.items():
        layers: list[tuple[Path, Any]] = [((), job.shared), (("roles", name), role.spec)]
        for key, override in role.overrides.items():
            layers.append((("roles", name, "overrides", key), override))
        for place, spec in layers:
            for path, value in _late_texts(spec):
                yield (*place, *path), value, notation.Reader(name, names)
    for file, content in job.options.get("files", {}).items():
        yield (NAME, "files", file), content, notation.Reader("", names)


def _late_texts(spec: Any) -> Iterator[tuple[Path, str]]:
    for variable, value in spec.get("env", {}).items():
        if isinstance(value, str):
            yield ("env", variable), value
    for field in _TEXTS:
        for number, value in enumerate(spec.get(field, ())):
            if isinstance(value, str):
                yield (field, number), value


def plan(job: Job) -> Plan:
    """Plan the roles as the job states them, its files, and the names to look for in tests."""
    last = _completion_role(job)
    listening = tuple(name for name, role in job.roles.items() if role.port)
    peers = Config("peers", {"hosts": text(Peers(listening, "lines"))})
    files = Config("files", {}, option=_FILES)
    fixed = tuple(option for option in OPTIONS if option != "files")
    return Plan(
        title=TITLE,
        roles=tuple(_role(job, name) for name in job.roles),
        configs=(peers, files) if listening else (files,),
        completion_role=last,
        completion=job.options["succeeds"],
        reserved_env=(),
        fixed_options=fixed,
        cleanup=bool(last) and len(job.roles) > 1,
        notation=True,
        peers_hint="write the list into a file of custom.files, which can hold 1 MiB",
    )


def _completion_role(job: Job) -> str:
    role = job.options.get("decides") or next(iter(job.roles), "")
    return "" if role == _NOBODY else str(role)


def _role(job: Job, name: str) -> RolePlan:
    port = job.roles[name].port
    ranks = [role for role in job.options.get("ranks", job.roles) if role in job.roles]
    before = ranks[: ranks.index(name)] if name in ranks else []
    return RolePlan(
        name=name,
        container=CONTAINER,
        port=port,
        port_name="main" if port else "",
        service=port is not None,
        labels={},
        env=(),
        mounts=(Mount("files", "chartgen-files", "/etc/custom", Given(_FILES)),),
        at_least=1 if name == _completion_role(job) else 0,
        serves=name in job.options.get("serves", ()),
        rescalable=name in job.options.get("rescalable", ()),
        rank_after=tuple(before),
        pod={"hostname": text(Host(name))} if name in job.options.get("hostnames", ()) else {},
    )
