"""The commands, one module each, imported when called; a new one is a file and a line below."""

# Nothing else is defined here: the module `list`, once imported, hides the built-in of that name.
COMMANDS = {
    "init": "print a starter job description",
    "render": "write a Helm chart, or plain manifests, for each job description",
    "validate": "report every problem of job descriptions at once",
    "test": "lint, render and check a chart, and try it on a cluster",
    "diff": "show what an upgrade from one chart to another would do",
    "package": "package charts reproducibly",
    "gitops": "write the objects with which Argo CD or Flux deploys charts",
    "status": "show the state of a job on a cluster, or wait until it has ended",
    "logs": "print or follow the logs of a job by replica",
    "events": "show the events of a job on a cluster",
    "stop": "suspend a job without uninstalling it",
    "start": "resume a job that was stopped",
    "convert": "print the job description for a job in a native format",
    "list": "list frameworks, formats, clouds, examples, rules and more",
    "explain": "print a page of the manual, or its table of contents",
    "schema": "print the JSON Schema of job descriptions, for editors",
    "completion": "print a completion script for bash, zsh or fish",
}
