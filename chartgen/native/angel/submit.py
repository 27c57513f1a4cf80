"""angel-submit: the command line that starts a job of Angel on Kubernetes.

chartgen reads an angel-submit line, or a script with one or more of them, each of which is a job.
Nothing is run. Words, quotes and continued lines are read as a shell reads them, and every problem
points at its argument. A file of Angel's properties is read in the same way (`chartgen explain
angel-properties`).

  chartgen render submit.sh -o charts --define PS=4
  chartgen convert submit.sh > job.yaml      # the job description that it means, with reasons

`${NAME}` is filled in by --define or by an assignment in the script, never by the environment.

Arguments
  -Dkey=value, --key value and key:value set a property, and `jar FILE` sets angel.job.jar.
  What angel-submit would misread is read as it was meant, with one warning of each kind in a file:
  `--conf key=value` from Angel's own manual, --key=value, `-- key value`, `-Dkey value` and
  `-D key=value`; also no-break spaces, and blanks after the backslash at the end of a line.
  key=value without -D is refused.
  Variables before the command (`NAME=value angel-submit ...`) become env of the client, except
  those that describe the machine, such as JAVA_HOME.

Properties
  angel.deploy.mode                    framework: angel; a chart runs on Kubernetes, so another mode
                                       is left out, with a warning
  angel.job.name                       name, without the characters that Angel drops in pod names:
                                       angel_lr_test becomes angellrtest
  angel.kubernetes.container.image     image; where there is none, --image gives it
  ...container.image.pullPolicy        imagePullPolicy
  angel.ps.number,                     roles.ps.replicas, roles.worker.replicas
    angel.workergroup.number
  angel.am.memory.gb,                  resources of roles.master, roles.ps and roles.worker, in
    angel.ps.cpu.vcores,               whole GiB and CPUs
    ...worker.limit.cores, ...
  ...master.label.*,                   labels, annotations and env: of the job where master and
    ...executor.annotation.*,          executors agree, otherwise of their roles
    ...masterEnv.*,
    ...executor.secretKeyRef.*
  ...volumes.TYPE.NAME.*,              volumes and volumeMounts; the client gets those of the master
    ...secrets.*
  ...master.port                       roles.master.port
  ...master.extraClassPath,            angel.masterClassPath, angel.executorClassPath
    ...executor.extraClassPath
  angel.kubernetes.namespace           helm install -n: a chart carries no namespace
  angel.kubernetes.serviceaccount      an account that the chart creates, with a Role for what Angel
                                       needs and no more; for your own, set serviceAccountName
  angel.kubernetes.master,             the API server of the cluster that the chart is installed
    ...authenticate.*                  in (angel.apiServer), where the client is authenticated by
                                       its account
  all others, of Angel, Hadoop and     angel.properties, unchanged
    your own

What is different, on purpose
  - The client runs in the cluster. The machine that submits the job does not have to reach the
    pods, or to stay on.
  - Hadoop's configuration, for HDFS, is part of the job: angel.hadoop or angel.hadoopConfigMap.
  - What Angel accepts but does not use is a problem: misspelt angel.kubernetes.* properties,
    volumes without a path, labels that Angel sets itself, values of the wrong type.
  - Warnings, each with its reason: a Java heap as large as its pod, more workers than the data may
    have splits, paths that the pods do not share, and images of Angel 3.2.0 or newer, which cannot
    run on Kubernetes.
  - spark-submit lines belong to Spark on Angel, another system, and are refused.

Commands, for a job lr in the namespace angel-group
  prepare  before  kubectl create namespace angel-group
                   kubectl create serviceaccount angel
                   kubectl create clusterrolebinding angel-role --clusterrole=edit ...
           now     nothing: the chart brings an account with a Role for what Angel needs
  start    before  $ANGEL_HOME/bin/angel-submit -Dangel.deploy.mode=KUBERNETES ...
           now     chartgen render submit.sh -o charts
                   helm install lr charts/lr -n angel-group --create-namespace
  sizes    before  add them up: 9 GB and 5 cores in the manual's example
           now     chartgen render, the chart's README and Helm's notes print the sum, with the
                   client: 6 pods, 5 CPUs, 9 GiB memory
  pods     before  kubectl get pods -l angel-app-selector=angel-application-...
           now     chartgen status lr -n angel-group
                   kubectl -n angel-group get pods -L angel-role -l app.kubernetes.io/instance=lr
  wait     before  keep the terminal open
           now     chartgen status lr -n angel-group --wait
  logs     before  kubectl logs -f POD
           now     chartgen logs lr -n angel-group -f
  change   before  stop it and submit it again
           now     helm upgrade lr charts/lr -n angel-group --set roles.ps.replicas=4
                   What the old job created is removed first.
  stop     before  kubectl delete pod lr-1566123456789-master
           now     helm uninstall lr -n angel-group
"""

import re

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.native.angel import job
from chartgen.native.draft import Adopted
from chartgen.startup.records import NamedTuple

_PROGRAM = re.compile(r"(?:.*/)?(angel|spark)-submit")
_FORMS = "expected -Dkey=value, --key value or key:value"


class _Property(NamedTuple):
    """A property, and where its value starts in the command."""

    key: str
    value: str
    origin: Path


def adopt(document: Document) -> Adopted:
    """The job description that a command line means."""
    words: list[str] = document.data["words"]
    programs = [_PROGRAM.fullmatch(word) for word in words]
    start = next((index for index, program in enumerate(programs) if program), 0)
    program = programs[start]
    if program and program[1] == "spark":
        problem = job.spark_problem(document, ("words", start), "a spark-submit line")
        return Adopted(None, (), (problem,))
    arguments = _SubmitArguments(document, start + 1)
    arguments.read()
    values: dict[str, str] = {}
    problems = arguments.problems
    origins: dict[Path, Path] = {(): ("words", start)}
    for key, value, origin in arguments.properties:
        if key in values:
            other = document.mark(origins[key,])
            message = f"{key!r} is given again, and this value counts; the other is at {other}"
            problems.append(document.warning(origin, message, "key-duplicate", key=True))
        values[key] = value
        origins[key,] = origin
    env = document.data.get("env", {})
    for name in env:
        origins[job.ENV, name] = ("env", name)
    adopted = job.adopt(document.moved(values, origins), env, "-D{}={}")
    return adopted._replace(problems=(*problems, *adopted.problems))


class _SubmitArguments:
    """Goes through the words after the program, as angel-submit does."""

    def __init__(self, document: Document, start: int) -> None:
        self.document = document
        self.words: list[str] = document.data["words"]
        self.at = start
        self.properties: list[_Property] = []
        self.problems: list[Problem] = []

    def read(self) -> None:
        """Find the properties that are set, and problems with words that set none."""
        while self.at < len(self.words):
            word = self.words[self.at]
            if word.startswith("-D"):
                self._define(word)
            elif word.startswith("--"):
                self._option(word)
            elif word == "jar":
                self._pair("angel.job.jar")
            else:
                self._colon(word)
            self.at += 1

    def _add(self, key: str, value: str, *place: str | int) -> None:
        self.properties.append(_Property(key, value, ("words", *place)))

    def _refuse(self, message: str, hint: str = "") -> None:
        self.problems.append(
            self.document.problem(("words", self.at), message, "angel-argument", hint)
        )

    def _next(self) -> str:
        return self.words[self.at + 1] if self.at + 1 < len(self.words) else ""

    def _warn(self, message: str, rule: str, hint: str) -> None:
        """Warn of an argument that is read as meant; of each rule a file shows one."""
        self.problems.append(self.document.warning(("words", self.at), message, rule, hint))

    def _define(self, word: str) -> None:
        """-Dkey=value; `-D key=value` and `-Dkey value` are read as meant."""
        key, equals, value = word[2:].partition("=")
        following = self._next()
        if not equals and not key and "=" in following:
            message = "nothing follows '-D' in this word; read with the next word"
            self._warn(message, "angel-argument-define", f"write -D{following}")
            self.at += 1
            key, _, value = following.partition("=")
            self._add(key, value, self.at, len(key) + 1)
        elif not equals and key and following and not following.startswith("-"):
            message = f"{word!r} has no '='; read with the next word as its value"
            self._warn(message, "angel-argument-define", f"write -D{key}={following}")
            self.at += 1
            self._add(key, following, self.at, 0)
        elif not equals:
            self._refuse(f"{word!r} has no value; expected -Dkey=value")
        elif not key:
            self._refuse(f"{word!r} sets a property without a name; expected -Dkey=value")
        else:
            self._add(key, value, self.at, len(word) - len(value))

    def _option(self, word: str) -> None:
        """--key value, in two words; `--key=value` and `-- key value` are read as meant."""
        key, equals, value = word[2:].partition("=")
        if equals and key:
            message = f"{word!r} takes the next word as the value of a property {word[2:]!r}"
            message += f"; read as -D{key}={value}"
            self._warn(message, "angel-argument-equals", f"write -D{key}={value}")
            self._add(key, value, self.at, len(key) + 3)
        elif word == "--" and self.at + 2 < len(self.words) and not self._next().startswith("-"):
            key = self._next()
            message = f"'--' names no property; read as --{key}, without the blank"
            hint = f"write --{key} {self.words[self.at + 2]}"
            self._warn(message, "angel-argument-blank", hint)
            self._add(key, self.words[self.at + 2], self.at + 2, 0)
            self.at += 2
        elif key == "conf":
            self._conf()
        else:
            self._pair(key)

    def _conf(self) -> None:
        """--conf key=value, which Angel's manual has from Spark's."""
        key, equals, value = self._next().partition("=")
        if equals and key:
            message = (
                f"angel-submit has no --conf, and sets a property 'conf'; read as -D{key}={value}"
            )
            hint = f"write -D{key}={value}"
            self.problems.append(
                self.document.warning(("words", self.at), message, "angel-conf-argument", hint)
            )
            self._add(key, value, self.at + 1, len(key) + 1)
        else:
            message = "'--conf' sets a property 'conf', which Angel does not have"
            self._refuse(f"{message}; expected -Dkey=value")
        self.at += 1

    def _pair(self, key: str) -> None:
        word = self.words[self.at]
        if self.at + 1 == len(self.words):
            self._refuse(f"nothing follows {word!r}; expected a value")
        elif not key:
            self._refuse("'--' names no property; expected --key value")
        else:
            self._add(key, self.words[self.at + 1], self.at, len(word) + 1)
            self.at += 1

    def _colon(self, word: str) -> None:
        """key:value."""
        key, colon, value = word.partition(":")
        name, equals, rest = word.partition("=")
        not_an_argument = f"{word!r} is not an argument of angel-submit"
        if equals and name and (not colon or "=" in key):
            message = f"{word!r} sets a property {key!r}" if colon else not_an_argument
            self._refuse(f"{message}; expected -Dkey=value", f"did you mean '-D{name}={rest}'?")
        elif not colon or not key or value.startswith("//"):
            self._refuse(f"{not_an_argument}; {_FORMS}")
        else:
            self._add(key, value, self.at, len(key) + 1)
