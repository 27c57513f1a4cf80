"""Every rule that a problem can name: what it means, and what to do about it.

Nothing on the way from a job to its chart imports this module; `chartgen explain RULE` and
`chartgen list rules` do. An id has the form area-what. A problem names its rule by a literal; a
test compares these with the list below, in both directions.
"""

from chartgen.startup.records import NamedTuple


class RuleText(NamedTuple):
    """What a rule means and what to do about it, one sentence each."""

    means: str
    remedy: str


YAMLLINT = "yamllint-"  # the prefix of yamllint's own rules

# By the first word of the id, the area that a rule belongs to.
RULES: dict[str, RuleText] = {
    # Files and texts
    "file-missing": RuleText(
        "There is no file of this name.",
        "Check the path; it is relative to the directory that chartgen runs in, or, "
        "for `cloud: ./file.yaml`, to the job description.",
    ),
    "file-is-directory": RuleText(
        "The name is that of a directory, and a file was expected.",
        "Name the files in it, for example with `jobs/*.yaml`.",
    ),
    "file-unreadable": RuleText(
        "The operating system does not let chartgen read the file.",
        "Check the file's permissions and those of the directories above it.",
    ),
    "file-too-large": RuleText(
        "The file or package is larger than chartgen accepts.",
        "Check that it is the right file; split a file that holds many jobs.",
    ),
    "file-more-problems": RuleText(
        "The file has so many problems that only the first ones are reported.",
        "Check that it is the right file; correct what is reported, and run the command again.",
    ),
    "file-encoding": RuleText(
        "The file is not UTF-8 text.",
        "Save it as UTF-8; most editors have a command for that.",
    ),
    "file-control-character": RuleText(
        "The text contains a character that YAML or Kubernetes does not accept, such"
        " as a control character or half of a surrogate pair.",
        "Remove the character, or type it again; it often comes from copying out of "
        "a web page or a terminal.",
    ),
    "file-merge-conflict": RuleText(
        "The markers of an unresolved merge conflict are still in the file.",
        "Keep one side and remove the lines that start with <<<<<<<, ======= and >>>>>>>.",
    ),
    "file-syntax": RuleText(
        "The text does not follow the syntax of its language (YAML, JSON, a shell "
        "command, a properties file or Python).",
        "Look at the marked place and just before it: a missing quote, bracket or "
        "indentation is usually the cause.",
    ),
    "file-empty": RuleText(
        "The file contains nothing to read.",
        "Write a job description; `chartgen init` and `chartgen list examples` are places to "
        "start.",
    ),
    "file-unknown-format": RuleText(
        "The text is neither a job description nor in a native format that chartgen recognizes.",
        "Check that it is the right file; if its format is in `chartgen list formats`, name it "
        "with --from.",
    ),
    # Projects
    "project-several": RuleText(
        "A project file, or a values file of an environment, has more than one document.",
        "Write one document; a line with --- begins another one.",
    ),
    "project-requires": RuleText(
        "The project file requires a newer chartgen than this one.",
        "Install the version that it names, or a newer one.",
    ),
    "project-layout": RuleText(
        "The project file sets a layout or a library that its format does not have.",
        "Set `library` only with `layout: thin`, and `layout` only with `format: chart`.",
    ),
    "project-output-in-sources": RuleText(
        "The output directory is inside the sources, so charts would be read as jobs.",
        "Name an output directory outside of them, or more exact sources.",
    ),
    "project-output-shared": RuleText(
        "The output directory is also where the values of environments are, or where `chartgen "
        "gitops` writes, so one could be mistaken for the other.",
        "Give the output a directory of its own.",
    ),
    "project-empty": RuleText(
        "No file matches the sources of the project.",
        "Write a job there, or correct the patterns in the project file.",
    ),
    "kit-missing": RuleText(
        "There is no kit of this name.",
        "Name a directory that has a kit.yaml, or one of `chartgen list kits`.",
    ),
    "kit-several": RuleText(
        "A file of a kit has more than one document.",
        "Write one document; a line with --- begins another one.",
    ),
    "kit-file-unknown": RuleText(
        "A kit has a file that chartgen would never read.",
        "Rename it as `chartgen explain kits` says, or move it out of the kit.",
    ),
    "kit-link": RuleText(
        "A file of a kit is a link to a file outside of it.",
        "Copy the file into the kit: it then means the same wherever the kit is.",
    ),
    "kit-too-large": RuleText(
        "The files of a kit are larger than 1 MiB in total.",
        "Check that it is the right directory; charts carry only what templates print.",
    ),
    "kit-name-taken": RuleText(
        "The kit has the name of a field of job descriptions, so its values would hide that field.",
        "Choose another name.",
    ),
    "kit-duplicate": RuleText(
        "Two kits have the same name, so their values would be the same.",
        "Use one of them, or rename one in its kit.yaml.",
    ),
    "kit-other-framework": RuleText(
        "The kit is for frameworks other than this job's.",
        "Leave it out for this job, or add the framework to its kit.yaml.",
    ),
    "kit-other-cloud": RuleText(
        "The kit is for clouds other than this job's.",
        "Leave it out for this job, or add the cloud to its kit.yaml.",
    ),
    "kit-broken-yaml": RuleText(
        "What a template of a kit prints is not YAML.",
        "Look at the line that is named; `chartgen render -o -` shows what other templates print.",
    ),
    "kit-no-object": RuleText(
        "A template of a kit prints something that is not a Kubernetes object.",
        "Print apiVersion, kind and metadata; `metadata(...)` makes the last.",
    ),
    "template-syntax": RuleText(
        "The template does not follow jinja2's syntax.",
        "Write <% %> around tags, <%= %> around what is printed, and close every block.",
    ),
    "template-undefined": RuleText(
        "The template uses a name that nothing defines.",
        "Correct the name, or define it: with --define in a description, with set in a kit.",
    ),
    "template-failed": RuleText(
        "An expression of the template cannot be computed.",
        "Correct the expression in the line that is named.",
    ),
    "template-unsafe": RuleText(
        "The template reaches for something that templates may not use.",
        "Use the filters that `chartgen explain kits` lists.",
    ),
    "template-missing": RuleText(
        "The template includes a file that is not part of the kit.",
        "Name a file by its path in the kit; nothing outside of it is read.",
    ),
    "template-recursion": RuleText(
        "The template includes or calls itself, so it would never end.",
        "Take the common part out into a file of its own.",
    ),
    "template-too-early": RuleText(
        "The template needs a value before Helm has set it, or names one that does not exist.",
        "Print the value, or let Helm decide with `{{- if <%= go(values.X) %> }}`.",
    ),
    "template-too-large": RuleText(
        "The templates print more than 1 MiB, or build something much larger on the way.",
        "Print less; let Helm repeat what depends on values.",
    ),
    "template-too-slow": RuleText(
        "The templates take longer than 5 seconds.",
        "Loop less often, or over fewer items.",
    ),
    "environment-unknown": RuleText(
        "There are values for an environment that the project file does not name.",
        "Add the environment to the project file, or rename the directory.",
    ),
    "environment-job-unknown": RuleText(
        "An environment has values for a job that does not exist.",
        "Rename the file after the job, or remove it.",
    ),
    "output-missing": RuleText(
        "A chart, or a file of it, is not in the repository.",
        "Run `chartgen render` and commit the result.",
    ),
    "output-outdated": RuleText(
        "A file of a chart is not what its job description says now.",
        "Run `chartgen render` and commit the result.",
    ),
    "output-edited": RuleText(
        "A file of a chart was changed by hand; the next render would lose the change.",
        "Move the change to the job description, or discard it with `chartgen render --force`.",
    ),
    "output-stale": RuleText(
        "A file of a chart is no longer generated.",
        "Run `chartgen render`, which removes it.",
    ),
    "output-orphan": RuleText(
        "The directory was written for a job that no longer exists.",
        "Remove it with `chartgen render --prune`.",
    ),
    "gitops-ttl": RuleText(
        "A Job deletes itself after its end, and Argo CD or Flux would create it again.",
        "Leave ttlSecondsAfterFinished out of jobs that are deployed by GitOps.",
    ),
    "gitops-runtime-id": RuleText(
        "The runtime id is given, so Kubernetes refuses every change of the pods.",
        "Leave runtimeId out: it is then a hash of the pods, and Jobs are replaced.",
    ),
    "gitops-same-place": RuleText(
        "Two environments are in the same namespace of the same cluster, where a job can have "
        "only one release of its name.",
        "Give one of them another namespace or cluster.",
    ),
    "gitops-same-name": RuleText(
        "Argo CD or Flux would get two objects of the same name, JOB-ENVIRONMENT, for different"
        " jobs.",
        "Rename a job or an environment.",
    ),
    "file-template": RuleText(
        "The text is a template that another program must fill in first: Helm, Jinja or ksonnet.",
        "Render it with that program, and give chartgen the result.",
    ),
    "object-left-out": RuleText(
        "The file contains a Kubernetes object that is not a job.",
        "Apply it by itself, or write it into extraObjects of the job description.",
    ),
    "xml-doctype": RuleText(
        "An XML file has a document type, which may name entities and other files.",
        "Remove the <!DOCTYPE ...> line; chartgen never expands an entity.",
    ),
    # YAML
    "yaml-tag": RuleText(
        "The value has a YAML tag that chartgen does not support, or that does not fit the value.",
        "Remove the tag and write the plain value.",
    ),
    "yaml-alias-loop": RuleText(
        "A YAML anchor refers to itself.",
        "Write out what the inner alias should contain.",
    ),
    "yaml-alias-bomb": RuleText(
        "YAML aliases expand to more values than any real job has.",
        "Write the values out, or use fewer nested aliases.",
    ),
    "yaml-merge-key": RuleText(
        "The merge key << is not followed by an alias of a mapping.",
        "Write `<<: *name`, where &name is on a mapping, or copy the fields.",
    ),
    "yaml-quotes-needed": RuleText(
        "YAML readers disagree about this unquoted word: some read text, others a "
        "number, a date or a boolean.",
        "Put it in quotes if it is text.",
    ),
    # Keys and values, checked against a schema
    "key-unknown": RuleText(
        "There is no field of this name here.",
        "Correct the spelling; `chartgen explain FIELD` lists the fields of a place.",
    ),
    "key-missing": RuleText(
        "A field that is required is missing.",
        "Add it; the message says what it is, and `chartgen explain FIELD` says more.",
    ),
    "key-duplicate": RuleText(
        "The same key or argument is given more than once.",
        "Keep one of them.",
    ),
    "key-not-text": RuleText(
        "A key is a list, a mapping or a number, and only text can be a key.",
        "Write the key as text; a ? or a [ at the start of a line may need quotes.",
    ),
    "key-spelling": RuleText(
        "A key is spelt differently than in the format, and is read as it was meant.",
        "Write it as the hint says; other tools may not be as forgiving.",
    ),
    "value-wrong-type": RuleText(
        "The value is of the wrong type, for example text where a number is expected.",
        "Write a value of the expected type; quotes make text, and no quotes make "
        "numbers and booleans.",
    ),
    "value-not-listed": RuleText(
        "The value is not one of those allowed here.",
        "Use one of the values that the message lists.",
    ),
    "value-malformed": RuleText(
        "The value does not have the form that is required here.",
        "Write it in the form that the message describes.",
    ),
    "value-out-of-range": RuleText(
        "The number is too small or too large.",
        "Use a number within the range that the message names.",
    ),
    "value-wrong-length": RuleText(
        "The text or list is too short or too long.",
        "Shorten or extend it to the length that the message names.",
    ),
    "value-not-allowed": RuleText(
        "The value has the right type, but is not allowed in this place or in this combination.",
        "Follow the message: it names what to write instead.",
    ),
    "value-too-deep": RuleText(
        "Values are nested deeper than any real job needs.",
        "Check the brackets and the indentation above the marked place.",
    ),
    "key-merge": RuleText(
        "A key is the text `<<`, which YAML readers take as a merge of mappings.",
        "Use another key.",
    ),
    "key-too-long": RuleText(
        "A key is longer than YAML readers accept.",
        "Use a shorter key; put long texts into values.",
    ),
    "value-too-large": RuleText(
        "Names or variables that refer to each other expand to more than any real job has.",
        "Write the value out, or check the assignments for one that repeats itself.",
    ),
    # Shell command lines
    "shell-unsupported": RuleText(
        "The script does something that chartgen does not evaluate, such as a loop, "
        "a condition or a command substitution.",
        "Put the finished command line into a file of its own.",
    ),
    "shell-continuation": RuleText(
        "A command is cut in two, because a backslash is missing or is followed by blanks.",
        "End each continued line with a backslash and nothing after it.",
    ),
    "shell-blank-at-end": RuleText(
        "There are blanks after the backslash that continues a line.",
        "Remove the blanks.",
    ),
    "shell-blank-unbroken": RuleText(
        "A command line has no-break spaces, which often come from copying out of a web page.",
        "Replace them with ordinary blanks.",
    ),
    "shell-undefined": RuleText(
        "The command line uses a variable that has no value; chartgen never reads the environment.",
        "Give it a value with --define NAME=VALUE, or assign it in the script.",
    ),
    # Jobs, frameworks and roles
    "job-duplicate": RuleText(
        "Two jobs have the same name and would be written to the same directory.",
        "Rename one of them, or render them to different directories.",
    ),
    "job-failure-policy": RuleText(
        "Kubernetes accepts a `podFailurePolicy`, such as that of `exitCodes`, only in a Job that "
        "neither restarts its pods in place nor replaces them before they have failed.",
        "Set `restartPolicy: Never` for the role, and leave out `podReplacementPolicy`.",
    ),
    "job-failure-rule": RuleText(
        "Kubernetes refuses a rule of a `podFailurePolicy`.",
        "Name one of its actions, and either exit codes in ascending order or conditions of pods.",
    ),
    "exit-codes-on-failure": RuleText(
        "`exitCodes` has no effect on a replica that is restarted in place, because its Job "
        "never sees how the program ended.",
        "Set `restartPolicy: Never` beside `exitCodes`: a failed pod is then replaced by a new "
        "one, or the Job fails.",
    ),
    "exit-codes-lost-peer": RuleText(
        "Replicas that fail because another one was lost would not be retried.",
        "Leave `exitCodes` out, or let it retry the code that the message names.",
    ),
    "cleanup-delete": RuleText(
        "The clean-up deletes Jobs that GitOps, or the next upgrade, creates again.",
        "Use `cleanup: suspend`, or ignore the warning if nothing brings the Jobs back.",
    ),
    "job-queue-name": RuleText(
        "A queue name on the Jobs makes Kueue admit each replica on its own, although they need"
        " each other.",
        "Put the queue name on the pods, with `labels`, and make them one pod group.",
    ),
    "framework-other-options": RuleText(
        "The job has options of a framework that it does not use.",
        "Remove them, or change `framework`.",
    ),
    "image-latest": RuleText(
        "The image has the tag `latest`, or no tag, so another image can be pushed in its place.",
        "Name a tag or a digest that does not change: the runtime id is a hash of the pods, and"
        " does not change when the same tag is pushed again.",
    ),
    "image-placeholder": RuleText(
        "The image is the placeholder that `chartgen init` writes.",
        "Write the image of the job.",
    ),
    "image-missing": RuleText(
        "A container has no image.",
        "Set `image` for the role, or once for all roles at the top level of the job; with a native"
        " text, use --image.",
    ),
    "role-unknown": RuleText(
        "The framework has no role of this name.",
        "Use one of the roles that the message names; `chartgen list roles` describes them.",
    ),
    "role-missing": RuleText(
        "The framework cannot run without a role that the job does not have.",
        "Add the role.",
    ),
    "role-no-replicas": RuleText(
        "A role that the job cannot run without has 0 replicas.",
        "Set `replicas` to 1 or more, or remove the line.",
    ),
    "role-one-replica": RuleText(
        "A job can have only one replica of this role, and the description asks for another "
        "number.",
        "Set `replicas` to 1, or remove the line.",
    ),
    "role-port-unused": RuleText(
        "The role has a port, but no replica of that role listens on one.",
        "Remove `port` from the role.",
    ),
    "role-field-unsupported": RuleText(
        "The framework creates the pods of this role itself and has no way to set this field.",
        "Remove the field; the message and the framework's page (`chartgen explain "
        "angel`) say what can be set.",
    ),
    "role-field-not-applied": RuleText(
        "A field for the whole job does not reach pods that the framework creates itself.",
        "Set it for the roles that it is meant for, or accept that the other pods are without it.",
    ),
    "override-no-replica": RuleText(
        "An override names a replica that the role does not have.",
        "Use an index below `replicas`; the first replica has the index 0.",
    ),
    "override-reversed": RuleText(
        "The range of an override ends before it starts.",
        'Write the lower index first, as in "0-3".',
    ),
    "job-too-large": RuleText(
        "The roles of a job, or the overrides of a role, with all the fields that each of them "
        "inherits, are more than a chart or a cluster can hold.",
        "Name ranges of replicas that share an override, or split the job.",
    ),
    "override-overlap": RuleText(
        "Two overrides name the same replica.",
        "Name each replica in one override only.",
    ),
    # Names, labels and variables
    "name-reserved": RuleText(
        "Windows takes the job's name for a device, so the chart's directory cannot be made there.",
        "Choose another name, such as a longer one.",
    ),
    "name-too-long": RuleText(
        "The name of an object would be longer than Kubernetes allows.",
        "Shorten the job's name, `namePrefix` or `runtimeId`; for a chart, use a "
        "shorter release name.",
    ),
    "name-malformed": RuleText(
        "Kubernetes refuses this name.",
        "Use lowercase letters, digits and '-'; the message says what this kind of name allows.",
    ),
    "label-malformed": RuleText(
        "Kubernetes refuses this label or annotation.",
        "Follow the form that the message names; free text belongs in an annotation.",
    ),
    "label-reserved": RuleText(
        "The chart or the framework sets this label itself.",
        "Remove it, or use another name.",
    ),
    "env-duplicate": RuleText(
        "A variable is set twice in one container.",
        "Keep one of them.",
    ),
    "env-reserved": RuleText(
        "The chart sets this variable itself, from the number of replicas at install.",
        "Remove it from the job.",
    ),
    "env-reference-loop": RuleText(
        "Variables refer to each other in a circle with $(NAME).",
        "Break the circle by writing one of the values out.",
    ),
    "env-reference-early": RuleText(
        "A variable refers to one that the chart sets after it, so Kubernetes would not expand it.",
        "Refer to that variable in `command` or `args` instead.",
    ),
    "env-secret": RuleText(
        "A variable that is named like a secret has its value written out, so anybody who can "
        "read the chart, the release or the pod can read it.",
        "Keep the value in a Secret, and refer to it with valueFrom.secretKeyRef.",
    ),
    "env-too-long": RuleText(
        "An environment variable, or one word of a command, is longer than Linux "
        "allows (131,072 bytes).",
        "Use fewer replicas or a shorter list of peers (`tensorflow.cluster: "
        "sparse`), or put the text into a file.",
    ),
    "annotations-too-large": RuleText(
        "The annotations of a pod are larger than Kubernetes allows (262,144 bytes in total).",
        "Move large texts into a ConfigMap or another file.",
    ),
    # Containers, volumes and ports
    "container-duplicate": RuleText(
        "Two containers of a pod have the same name.",
        "Rename one; the main container's name is the framework's.",
    ),
    "container-main-missing": RuleText(
        "No container of a pod template has the name of the framework's main container.",
        "Give the main container the name that the message asks for.",
    ),
    "mount-duplicate": RuleText(
        "Two volumes are mounted at the same path.",
        "Mount one of them somewhere else.",
    ),
    "port-duplicate": RuleText(
        "The same port, or the same port name, is listed twice.",
        "Keep one of them, or rename it.",
    ),
    "port-out-of-range": RuleText(
        "The number is not a port.",
        "Use a number from 1 to 65535.",
    ),
    "volume-duplicate": RuleText(
        "Two volumes have the same name.",
        "Rename one of them.",
    ),
    "volume-unknown": RuleText(
        "A mount refers to a volume that does not exist.",
        "Add the volume to `volumes`, or correct the name.",
    ),
    # Resources
    "resources-unknown-name": RuleText(
        "Kubernetes has no resource of this name.",
        "Use cpu, memory, ephemeral-storage, or a device's full name such as nvidia.com/gpu.",
    ),
    "resources-request-above-limit": RuleText(
        "More of a resource is requested than its limit allows.",
        "Raise the limit, or lower the request.",
    ),
    "resources-huge-pages": RuleText(
        "The cloud adds huge pages, which Kubernetes gives only to containers that "
        "also request CPU or memory.",
        "Add a limit for cpu or memory.",
    ),
    "quantity-malformed": RuleText(
        "This is not a quantity that Kubernetes can read.",
        "Write a number, with a unit such as m, Mi or Gi where needed.",
    ),
    "quantity-negative": RuleText(
        "A quantity is below zero.",
        "Write 0 or more.",
    ),
    "quantity-not-whole": RuleText(
        "Devices can only be requested in whole numbers.",
        "Write a whole number.",
    ),
    "quantity-milli-bytes": RuleText(
        "The quantity is not a whole number of bytes; the unit m, for example, means thousandths.",
        "Write Mi for mebibytes.",
    ),
    # Devices, machines and clouds
    "device-outdated": RuleText(
        "No current cluster offers a device under this name.",
        "Use the name that the message gives, or `gpu: 1`.",
    ),
    "device-not-on-cloud": RuleText(
        "The cloud has no such device, so no node would accept the pod.",
        "Choose another device or another cloud; `chartgen explain cloud NAME` lists what it has.",
    ),
    "device-requested-twice": RuleText(
        "The same pod requests devices in two ways.",
        "Keep one of `gpu`, `accelerator` and `resources.limits`.",
    ),
    "device-without-limit": RuleText(
        "A device is requested without a limit, which Kubernetes refuses.",
        "Put it into `resources.limits`; the request follows the limit.",
    ),
    "device-read-as-limit": RuleText(
        "A device is requested without a limit; it is read as a limit of the same number.",
        "Write it under `limits`.",
    ),
    "accelerator-unknown": RuleText(
        "There is no accelerator of this type.",
        "Use a type from `chartgen list accelerators`.",
    ),
    "accelerator-type-missing": RuleText(
        "The accelerator has no type.",
        "Add `type`, for example `type: h100`.",
    ),
    "accelerator-not-on-cloud": RuleText(
        "The cloud does not have this type of accelerator.",
        "Choose one that it has, or another cloud; `chartgen list accelerators` shows both.",
    ),
    "accelerator-not-told-apart": RuleText(
        "The cloud has no way to select this type, so any device of the same resource may be used.",
        "Add a `nodeSelector` that selects the right nodes.",
    ),
    "accelerator-field-not-on-cloud": RuleText(
        "The cloud does not name a node label for this field.",
        "Remove the field, and select the nodes with `nodeSelector`.",
    ),
    "accelerator-profile-missing": RuleText(
        "This accelerator is offered in parts, and no part is named.",
        "Add `profile`, for example `profile: 1g.5gb`.",
    ),
    "accelerator-profile-unknown": RuleText(
        "The profile is not among those known for this accelerator.",
        "Check the spelling; keep it if your nodes offer a resource of exactly this name.",
    ),
    "machine-unknown": RuleText(
        "The cloud's data has no machine of this name.",
        "Check the spelling, or name `accelerator.type` as well; then the machine's "
        "contents are not checked.",
    ),
    "machine-other-type": RuleText(
        "The machine has another accelerator than the one requested.",
        "Choose a machine that has it, or remove `machine` or `type`.",
    ),
    "machine-too-small": RuleText(
        "No machine holds as many devices as one replica requests.",
        "Request fewer devices per replica, and use more replicas.",
    ),
    "tpu-multi-host": RuleText(
        "The hosts of a TPU slice start as one group, which separate Jobs cannot do.",
        "Use a topology that fits on a single host.",
    ),
    "tpu-host-whole": RuleText(
        "A TPU host of this topology can only be requested as a whole.",
        "Leave out `count`, or use the number that the message names.",
    ),
    "fabric-missing": RuleText(
        "Machines that have a fast network would use the plain one.",
        "Set `fabric` to one of those in the hint, or `fabric: none` if the plain network is "
        "meant.",
    ),
    "fabric-without-device": RuleText(
        "A fabric connects pods that use devices, and this role requests none.",
        "Request devices with `gpu` or `accelerator`, or remove `fabric`.",
    ),
    "fabric-not-on-cloud": RuleText(
        "The cloud has no fabric of this name.",
        "Use one that `chartgen list fabrics` shows for the cloud, or `none`.",
    ),
    "fabric-other-type": RuleText(
        "The fabric does not work with this type of accelerator.",
        "Choose the fabric that belongs to the accelerator, or `none`.",
    ),
    "fabric-not-on-machine": RuleText(
        "No machine with these devices has the fabric's network adapters.",
        "Choose another machine or number of devices, or `fabric: none`.",
    ),
    "fabric-machine-missing": RuleText(
        "How many network adapters the fabric needs depends on the machine, and no "
        "machine is named.",
        "Set `accelerator.machine`.",
    ),
    "cloud-unknown": RuleText(
        "There is no cloud of this name.",
        "Use one from `chartgen list clouds`, or describe your own under `clouds` or in a file.",
    ),
    "cloud-file-clash": RuleText(
        "A cloud of the same name is both in the job description and in the file.",
        "Keep one of them, or rename one.",
    ),
    "cloud-file-several": RuleText(
        "The cloud's file contains more than one document.",
        "Put each cloud into a file of its own.",
    ),
    "cloud-file-not-a-cloud": RuleText(
        "The file does not describe a cloud.",
        "See `chartgen schema cloud`; `chartgen convert` turns the configuration of a TfJob "
        "operator into a cloud.",
    ),
    "cloud-volume-clash": RuleText(
        "The cloud adds a volume that has the same name as a different one of the job.",
        "Rename the job's volume.",
    ),
    "cloud-mount-replaced": RuleText(
        "The job mounts a volume where the cloud would mount its own; the job's is used.",
        "Mount it elsewhere, unless this is what you want.",
    ),
    # Limits of Helm and Kubernetes
    "data-too-large": RuleText(
        "A ConfigMap, Secret or Role would be larger than Kubernetes allows (1 MiB).",
        "Use fewer replicas or less text, or mount a volume.",
    ),
    "release-too-large": RuleText(
        "Helm's record of the release would be larger than a Secret can hold (1 MiB).",
        "Use fewer replicas or shorter texts in the chart.",
    ),
    "pod-security-restricted": RuleText(
        "The restricted Pod Security Standard forbids this setting.",
        "Remove it, or set `podSecurity: none`.",
    ),
    # TensorFlow and MXNet
    "tensorflow-chief-missing": RuleText(
        "No replica decides when the job has ended.",
        "Add a chief, or at least one worker.",
    ),
    "tensorflow-chief-and-master": RuleText(
        "The job has both a chief and a master, which are two names of one role.",
        "Keep one of them.",
    ),
    "mxnet-local-mode": RuleText(
        "A local MXNet job has one worker and nothing else.",
        "Remove the other roles and replicas, or set `mxnet.mode: dist`.",
    ),
    "mxnet-no-server": RuleText(
        "A distributed MXNet job has no servers to keep the parameters.",
        "Give the role `server` at least 1 replica, unless the kvstore needs none.",
    ),
    "pytorch-elastic-range": RuleText(
        "The numbers of an elastic PyTorch job contradict each other.",
        "Set both `pytorch.minReplicas` and `pytorch.maxReplicas`, with the second at least as "
        "large as the first, and a number of workers between them.",
    ),
    "pytorch-elastic-master": RuleText(
        "An elastic PyTorch job has a master, but its workers meet at worker 0.",
        "Make the master one of the workers, or remove minReplicas and maxReplicas.",
    ),
    "pytorch-processes-auto": RuleText(
        "A process would be started for each CPU of the node, even beyond a replica's limit.",
        "Set `pytorch.nprocPerNode` to a number, or request a device.",
    ),
    "pytorch-launcher": RuleText(
        "A launcher gets the same arguments in every replica, or does not learn about the other"
        " replicas.",
        "Leave out what the chart sets, and pass on what the launcher does not read by itself: "
        "see `chartgen explain pytorch`.",
    ),
    "jax-proxy": RuleText(
        "A variable for a proxy may keep JAX's processes from finding each other.",
        "Leave it out, or unset it in the program before it calls JAX.",
    ),
    "mpi-horovodrun": RuleText(
        "Horovod's launcher does not know the workers, and runs all ranks in its own pod.",
        "Pass it --hostfile /etc/mpi/hostfile, or use mpirun.",
    ),
    # TrainJob
    "trainjob-runtime-missing": RuleText(
        "A TrainJob names a runtime that is not in its file and does not come with the operator.",
        "Put the runtime into the file, or name one that `chartgen explain trainjob` lists.",
    ),
    "trainjob-image": RuleText(
        "A TrainJob names no image for some of its pods, so that of its runtime is used.",
        "Name the image in `spec.trainer.image`, with --image, or for workers of MPI with --set.",
    ),
    "trainjob-policy": RuleText(
        "The nodes of a training runtime find each other in a way that chartgen does not read.",
        "Use a runtime whose mlPolicy has torch, jax, mpi or xgboost, or write a job description.",
    ),
    "trainjob-node-missing": RuleText(
        "No replicated job of a training runtime, or no container of it, is the one that trains.",
        "Label the job trainer.kubeflow.org/trainjob-ancestor-step: trainer, or name it node (for "
        "MPI launcher), and name its container node.",
    ),
    "trainjob-step": RuleText(
        "A TrainJob or its runtime has a step that runs before the training.",
        "Load what the program needs in an init container, or from a volume.",
    ),
    "trainjob-claims": RuleText(
        "A training runtime has its JobSet create PersistentVolumeClaims.",
        "Create the claim yourself, and name it in the volumes of the pods.",
    ),
    "trainjob-patch": RuleText(
        "A TrainJob changes the pods of a replicated job that its runtime does not have.",
        "Name one of the runtime's replicated jobs.",
    ),
    "mpi-start-proxy": RuleText(
        "An option of MPI cannot be combined with `mpi.start: proxy`.",
        "Use MPICH and let only workers have ranks, or set `mpi.start` to ssh.",
    ),
    # Jobs that state their roles themselves
    "role-decides-missing": RuleText(
        "Of several roles, none decides when the job has ended.",
        "Name it in `custom.decides`, or `none` if the job runs until it is removed.",
    ),
    "late-value": RuleText(
        "A late value, such as `%{index}`, cannot be filled in.",
        "See `chartgen explain custom` for all of them; write `%%{` where the text should "
        "contain `%{`.",
    ),
    # TfJob and MxJob
    "name-cut": RuleText(
        "The name of the object is longer than a job's name can be, and is cut.",
        "Choose a name of at most 40 characters.",
    ),
    "name-generated": RuleText(
        "The object has no name, only the beginning of one that the cluster would complete.",
        "Write a name; give it with --set name=NAME if the file should stay as it is.",
    ),
    "template-resources": RuleText(
        "The resources are beside the containers of a pod, not in one of them.",
        "Indent them, so that they belong to the container.",
    ),
    "restart-policy-replaced": RuleText(
        "The operator replaced the restartPolicy of the template with that of the replica set.",
        "Write restartPolicy beside replicas and template.",
    ),
    "mxjob-master": RuleText(
        "An MxJob has a replica set of the type MASTER, which only TfJob has.",
        "Write mxReplicaType: WORKER and jobMode: local.",
    ),
    "mxjob-mode-missing": RuleText(
        "The MxJob does not say how it trains, and the operator refused it.",
        "Write jobMode: dist, or jobMode: local for one worker.",
    ),
    "mxjob-tuning": RuleText(
        "The MXJob tunes a model for a compiler and does not train one.",
        "Run the tuner by other means; chartgen reads jobs that train.",
    ),
    "tfjob-chief": RuleText(
        "The termination policy names a replica that cannot be the chief.",
        "Name MASTER 0, or WORKER 0 where there is no MASTER.",
    ),
    "tfjob-default-ps": RuleText(
        "IsDefaultPS is used where it has no meaning, or hides a command.",
        "Remove IsDefaultPS, or the command beside it.",
    ),
    "mxjob-port-unused": RuleText(
        "Only the scheduler's PsRootPort is used.",
        "Remove it from the other replica sets.",
    ),
    "replica-type-duplicate": RuleText(
        "There are two replica sets of one type, which would share their names.",
        "Merge them into one set with more replicas.",
    ),
    "restart-policy-missing": RuleText(
        "The pod template has no restartPolicy, which means Always and is refused in"
        " a Job; OnFailure is used.",
        "Write `restartPolicy: OnFailure` or `Never`.",
    ),
    # Angel
    "angel-deploy-mode": RuleText(
        "The job was written for Angel on YARN or in one process, and a chart runs it on "
        "Kubernetes.",
        "Remove angel.deploy.mode, or write KUBERNETES.",
    ),
    "angel-argument-equals": RuleText(
        "angel-submit has no --key=value; the argument is read as it was meant.",
        "Write -Dkey=value, or --key value in two words.",
    ),
    "angel-argument-blank": RuleText(
        "There is a blank after '--'; the argument is read as it was meant.",
        "Remove the blank.",
    ),
    "angel-argument-define": RuleText(
        "There is a blank after -D or -Dkey; the argument is read as it was meant.",
        "Write -Dkey=value.",
    ),
    "angel-file-of-submitter": RuleText(
        "A property names a file that was on the machine that the job was submitted from.",
        "Put the file into the image, or on a volume that the pods mount.",
    ),
    "angel-hdfs-client": RuleText(
        "The data is in HDFS, and Angel's own image has no Hadoop client.",
        "Build an image with a Hadoop client, and add Hadoop's configuration to the job.",
    ),
    "angel-image-version": RuleText(
        "Angel 3.2.0 and later cannot run on Kubernetes: a class of its master is missing.",
        "Use an image of Angel 2.4 to 3.1.",
    ),
    "angel-resources-whole": RuleText(
        "Angel takes memory only in whole GiB, and CPUs only in whole numbers.",
        "Round the quantity up.",
    ),
    "angel-memory-two-amounts": RuleText(
        "Angel requests as much memory as the limit, so two different amounts are not possible.",
        "Use the same amount for the request and the limit, or the limit alone.",
    ),
    "angel-executors-differ": RuleText(
        "Angel has one setting for its parameter servers and workers, and the job has two.",
        "Use the same for `ps` and `worker`, or set it for the whole job.",
    ),
    "angel-hadoop-twice": RuleText(
        "Hadoop's configuration is given both as files and as a ConfigMap.",
        "Keep `angel.hadoop` or `angel.hadoopConfigMap`.",
    ),
    "angel-heap-fills-pod": RuleText(
        "Angel gives Java a heap as large as the whole pod, so that Kubernetes may kill it.",
        "Set a smaller heap with _JAVA_OPTIONS, as the hint shows.",
    ),
    "angel-argument": RuleText(
        "angel-submit would misread this argument.",
        "Write -Dkey=value.",
    ),
    "angel-conf-argument": RuleText(
        "angel-submit has no --conf; the argument is read as it was meant.",
        "Write -Dkey=value.",
    ),
    "angel-property-internal": RuleText(
        "Angel sets this property itself, so the given value is not used.",
        "Remove it.",
    ),
    "angel-property-deprecated": RuleText(
        "The property is an old name, or is overridden by the new one.",
        "Write the property that the hint names.",
    ),
    "angel-property-misspelt": RuleText(
        "Angel has no property of this name, but one that is spelt almost the same.",
        "Correct the spelling, unless the property is read by your own code.",
    ),
    "angel-placeholder": RuleText(
        "A placeholder from the manual is still there.",
        "Write the real value.",
    ),
    "angel-volume-type": RuleText(
        "Angel cannot mount volumes of this type.",
        "Use one of the types that the message names.",
    ),
    "angel-volume-name": RuleText(
        "The text cannot be a volume's name.",
        "Use lowercase letters, digits and '-', without dots.",
    ),
    "angel-volume-option-missing": RuleText(
        "A volume lacks a required option.",
        "Add the option.",
    ),
    "angel-volume-option-unknown": RuleText(
        "Angel does not read this option of a volume.",
        "Remove it, or correct the spelling.",
    ),
    "angel-data-splits": RuleText(
        "Angel waits forever if the data has fewer splits than there are workers.",
        "Use at least as many files or blocks as workers, or fewer workers.",
    ),
    "angel-path-missing": RuleText(
        "A path that Angel's action needs is missing.",
        "Set the property that the message names.",
    ),
    "angel-path-not-shared": RuleText(
        "The path is on no volume, so every pod would see files of its own.",
        "Mount a shared volume there, or use HDFS.",
    ),
    "angel-port-range": RuleText(
        "This is not a range of ports that Angel accepts; it uses its default instead.",
        "Write two ports from 1025 to 65535, the lower one first.",
    ),
    "angel-client-variable": RuleText(
        "Angel's client would replace this from its environment, which is now that of its pod.",
        "Give it a value with --define, or set the variable in `env` of the client.",
    ),
    "angel-spark": RuleText(
        "This is Spark on Angel, a different system in which Spark starts the parameter servers.",
        "Use Spark's own tools for it; chartgen reads jobs of Angel itself.",
    ),
    "angel-predict-failure-hidden": RuleText(
        "Angel's client reports success even if a prediction fails, and so does the job.",
        "Check the output of the job.",
    ),
    # ElasticDL
    "elasticdl-dialect": RuleText(
        "The job uses something that ElasticDL does not have in the dialect of the job.",
        "Set elasticdl.dialect to the version in the image, or remove what this version does "
        "not have.",
    ),
    "elasticdl-master-pod": RuleText(
        "The master of ElasticDL 0.2 is a pod without a Job, and this is a field of Jobs.",
        "Remove the field; nothing retries the master.",
    ),
    "elasticdl-ps-account": RuleText(
        "Parameter servers of ElasticDL 0.2 read the master's pod under the namespace's default"
        " account, and with `rbac.create: false` the chart has no Role that allows it.",
        "Let the default account get pods, or let the chart create Roles.",
    ),
    "elasticdl-image-built": RuleText(
        "The client built and pushed an image for every job; chartgen does not.",
        "Build the image that the message names and push it, or name another one with --image.",
    ),
    "elasticdl-params-missing": RuleText(
        "The job has no `elasticdl.params`, the flags of ElasticDL's master.",
        "Add them; `chartgen explain elasticdl` has an example.",
    ),
    "elasticdl-data-missing": RuleText(
        "The job has neither training, evaluation nor prediction data.",
        "Set one of training_data_dir, evaluation_data_dir and prediction_data_dir.",
    ),
    "elasticdl-checkpoint-missing": RuleText(
        "Without training there is no model, and no checkpoint is named.",
        "Set checkpoint_filename_for_init.",
    ),
    "elasticdl-predict-alone": RuleText(
        "Prediction cannot be combined with training or evaluation.",
        "Split it into two jobs.",
    ),
    "elasticdl-one-claim": RuleText(
        "A master that creates its own workers can give them only one claim, mounted once.",
        "Use one claim, or `elasticdl.expansion: static`.",
    ),
    "elasticdl-master-restarts": RuleText(
        "A master that creates its own workers must not be restarted.",
        "Set `restartPolicy: Never` for it.",
    ),
    "elasticdl-worker-resource": RuleText(
        "A master that creates its own workers cannot request this resource for them.",
        "Remove it, or use `elasticdl.expansion: static`.",
    ),
    "elasticdl-command": RuleText(
        "ElasticDL's client has no such command, or the command makes no job.",
        "Use `train`, `evaluate` or `predict`; the master's own flags can go into a job "
        "description.",
    ),
    "elasticdl-flag-unknown": RuleText(
        "ElasticDL's client has no such flag for this command.",
        "Correct the spelling, or remove the flag.",
    ),
    "elasticdl-flag-no-value": RuleText(
        "A flag is not followed by a value.",
        "Add the value.",
    ),
    "elasticdl-flag-short": RuleText(
        "The flag is an abbreviation, which works only as long as no other flag begins with it.",
        "Write the flag in full.",
    ),
    "elasticdl-flag-ambiguous": RuleText(
        "The abbreviation matches more than one flag.",
        "Write the flag in full.",
    ),
    "elasticdl-flag-duplicate": RuleText(
        "The same setting is given twice.",
        "Keep one of the flags.",
    ),
    "elasticdl-flag-renamed": RuleText(
        "The flag belongs to another version of ElasticDL; it is read as the one with the same "
        "meaning in this version.",
        "Follow the hint, and check that the image has this version of ElasticDL.",
    ),
    "elasticdl-later": RuleText(
        "This was added to ElasticDL after July 2019, and the version that the job uses has "
        "nothing like it.",
        "Remove it, or follow the hint.",
    ),
    "elasticdl-pairs-unclear": RuleText(
        "A text of NAME=VALUE pairs can be read in more than one way, or the client "
        "read it differently.",
        "Write each name once, without blanks, and with no '=' in a value.",
    ),
    "elasticdl-resource-renamed": RuleText(
        "ElasticDL's name of a resource is not one of Kubernetes'; it is read as it was meant.",
        "Write ephemeral-storage.",
    ),
    "elasticdl-static-workers": RuleText(
        "ElasticDL's master cannot pass this on, so the workers become Jobs of the chart.",
        "Do nothing if that is acceptable; the master then does not replace a worker that is lost.",
    ),
    "elasticdl-tensorboard-volume": RuleText(
        "TensorBoard cannot see the master's logs, because no volume is mounted there.",
        "Use a directory on a volume.",
    ),
    "elasticdl-model-name": RuleText(
        "The model is named after its directory, and the path ends with '/'.",
        "Remove the '/' at the end.",
    ),
    "elasticdl-volume-source": RuleText(
        "A volume has neither a claim nor a path on the node, or both.",
        "Write claim_name or host_path.",
    ),
    "elasticdl-cluster-spec": RuleText(
        "--cluster_spec names a program that changes pods, and chartgen does not run it.",
        "Write what it does into the job description.",
    ),
    # Mars
    "mars-dialect": RuleText(
        "The job uses something that Mars does not have in the dialect of the job.",
        "Set mars.dialect to the version in the image, or remove what this version does not have.",
    ),
    "mars-packages": RuleText(
        "A call of Xorbits names packages, which Xorbits installed whenever a pod started.",
        "Install them in the image.",
    ),
    "mars-spill-unused": RuleText(
        "A call of Xorbits names directories for spilled data, which Xorbits never used.",
        "Remove the argument.",
    ),
    "mars-min-workers": RuleText(
        "The driver would wait for more workers than there are.",
        "Lower `mars.minWorkers`, or add workers.",
    ),
    "mars-cache-too-large": RuleText(
        "The cache does not fit into the memory that a worker requests.",
        "Use a smaller `mars.cacheMemory`, or more memory.",
    ),
    "mars-cpu-and-memory": RuleText(
        "CPU and memory are not given together, and Mars fails if it gets only one of them.",
        "Give both or neither.",
    ),
    "python-other-module": RuleText(
        "The file calls a function of the right name, but from another module.",
        "Check the import: chartgen reads the function of the module that the message names.",
    ),
    "python-call-missing": RuleText(
        "The Python file contains no call of new_cluster.",
        "Write the call; chartgen reads it and never runs it.",
    ),
    "python-call-twice": RuleText(
        "The Python file contains more than one call of new_cluster.",
        "Put each call into a file of its own.",
    ),
    "python-value-unknown": RuleText(
        "The value is known only when Python runs, and chartgen never runs it.",
        "Write a number, a text, a list, a dict, True, False or None, or a name that"
        " is assigned one of these once.",
    ),
    "python-argument-unnamed": RuleText(
        "An argument without a keyword is not one that new_cluster takes there.",
        "Write it as keyword=value.",
    ),
    # chartgen test: charts and what Helm makes of them
    "chart-missing": RuleText(
        "There is no Chart.yaml, so this is not a chart.",
        "Name the directory that contains Chart.yaml.",
    ),
    "chart-field-missing": RuleText(
        "Chart.yaml lacks a field that every chart has.",
        "Add `name` and `version`.",
    ),
    "chart-field-malformed": RuleText(
        "The name or the version in Chart.yaml cannot be part of a file's name.",
        "Write a name such as mnist and a version such as 1.0.0, without '/'.",
    ),
    "chart-package-invalid": RuleText(
        "The file is not a package made by `helm package`.",
        "Make it again with `helm package CHART`.",
    ),
    "chart-version-twice": RuleText(
        "The job description gives two versions of the chart, and they differ.",
        "Keep `version`, or `version` under `chart`, and remove the other.",
    ),
    "chart-dependency": RuleText(
        "The chart depends on another one that is not where Chart.yaml says.",
        "Render the job again, which writes the library beside the chart, or run `helm "
        "dependency build`.",
    ),
    "chart-empty": RuleText(
        "The chart renders no object.",
        "Check the values: a condition may turn everything off.",
    ),
    "chart-unstable": RuleText(
        "An object renders differently each time, so Argo CD and Flux will never converge.",
        "Avoid random values, dates and generated certificates, or read them from a Secret.",
    ),
    "helm-lint": RuleText(
        "`helm lint` reports this.",
        "Follow Helm's message.",
    ),
    "helm-template": RuleText(
        "`helm template` fails.",
        "Follow Helm's message; a value that the chart requires may be missing.",
    ),
    "helm-install": RuleText(
        "`helm install` fails on the cluster.",
        "Follow Helm's message and the events below it.",
    ),
    "helm-test": RuleText(
        "`helm test` fails.",
        "Read the logs of the test's pods, which are printed below the message.",
    ),
    "helm-uninstall": RuleText(
        "`helm uninstall` fails.",
        "Run the command that the message shows, to remove the release.",
    ),
    "yamllint-syntax": RuleText(
        "yamllint cannot parse the file.",
        "Correct the YAML at the marked place.",
    ),
    # chartgen test: objects
    "object-invalid": RuleText(
        "A document that the chart renders is not a Kubernetes object.",
        "Give it `apiVersion`, `kind` and `metadata.name`.",
    ),
    "object-name-taken": RuleText(
        "An extra object has a name that the chart gives, or may give, to an object of its own.",
        "Give it another name; those of the chart end in the runtime id.",
    ),
    "object-duplicate": RuleText(
        "There are two objects of the same kind and name.",
        "Rename one of them.",
    ),
    "object-api-unknown": RuleText(
        "This version of Kubernetes does not have this kind in this API version.",
        "Use the API version that the message names, or --skip-kind for a custom resource.",
    ),
    "object-word-refused": RuleText(
        "Kubernetes accepts only certain words here.",
        "Use one of those that the message names.",
    ),
    "object-not-healthy": RuleText(
        "An object failed, or was not healthy in time.",
        "Read the events and logs below the message; allow more time with --timeout.",
    ),
    "object-left-behind": RuleText(
        "Something that the release created is still there after the uninstall.",
        "Remove it, and make it an object of the chart, so that Helm removes it.",
    ),
    "restart-policy-refused": RuleText(
        "This kind of object does not allow this restartPolicy.",
        "Use one of those that the message names.",
    ),
    "workload-selector-mismatch": RuleText(
        "The selector does not match the labels of the pods that the object creates.",
        "Use the same labels in both places.",
    ),
    "service-selects-nothing": RuleText(
        "The Service selects no pod of the chart.",
        "Correct the selector, unless the pods come from elsewhere.",
    ),
    "service-port-unnamed": RuleText(
        "A Service with several ports must name each of them.",
        "Add `name` to each port.",
    ),
    "service-target-port-unknown": RuleText(
        "No container that the Service selects has a port of this name.",
        "Correct `targetPort`, or name the container's port.",
    ),
    "job-removes-itself": RuleText(
        "A Job with ttlSecondsAfterFinished is deleted, and then run again by the "
        "next upgrade or by GitOps.",
        "Leave the field out.",
    ),
    "data-key-missing": RuleText(
        "A container reads a key that the chart's ConfigMap or Secret does not have.",
        "Correct the key, or add it.",
    ),
    "data-key-malformed": RuleText(
        "Kubernetes refuses this key of a ConfigMap or Secret.",
        "Use letters, digits, '-', '_' and '.'.",
    ),
    "secret-not-base64": RuleText(
        "A value in `data` of a Secret is not base64.",
        "Encode it, or use `stringData`.",
    ),
    "pod-host-path": RuleText(
        "The pod mounts a directory of the node, so it can read and change files that are not "
        "its own.",
        "Use another kind of volume where possible.",
    ),
    "pod-host-namespace": RuleText(
        "The pod shares a namespace with the node and everything that runs there.",
        "Leave the field out.",
    ),
    "pod-no-resources": RuleText(
        "No container of the pod requests CPU or memory, so the pod is among the first to be "
        "evicted.",
        "Set resources.requests and limits.",
    ),
    "container-privileged": RuleText(
        "The container can do anything to the node that root can.",
        "Remove `privileged`, and add the one capability that is needed.",
    ),
    "container-privilege-escalation": RuleText(
        "A program in the container can gain more rights than it was started with.",
        "Set `allowPrivilegeEscalation: false`.",
    ),
    "container-capabilities": RuleText(
        "The container has more capabilities than an ordinary one.",
        "Remove those that it does not need.",
    ),
    "rbac-cluster-wide": RuleText(
        "The chart grants rights in every namespace of the cluster.",
        "Use a Role and a RoleBinding.",
    ),
    "rbac-cluster-admin": RuleText(
        "The chart grants the right to do everything.",
        "Grant the rights that are needed, by name.",
    ),
    "rbac-wildcard": RuleText(
        "A rule grants all verbs or all resources, including future ones.",
        "List them by name.",
    ),
    "upgrade-immutable-field": RuleText(
        "`helm upgrade` would fail, because this field cannot be changed.",
        "Keep the field constant, or change the object's name with it, for example by a hash.",
    ),
}


def text(rule: str) -> RuleText | None:
    """What a rule means; a rule of yamllint has its own name after a prefix."""
    if rule in RULES or not rule.startswith(YAMLLINT):
        return RULES.get(rule)
    name = rule.removeprefix(YAMLLINT)
    page = name.replace("-", "_")
    return RuleText(
        f"yamllint reports this by its rule {name!r}.",
        f"Follow https://yamllint.readthedocs.io/en/stable/rules.html#module-yamllint.rules.{page},"
        f" or turn the rule off in your .yamllint.",
    )
