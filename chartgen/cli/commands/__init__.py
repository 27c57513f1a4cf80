"""The commands, one module each, imported when it is called for; a new one is a file here and a line below."""

# Nothing else stands here: the module `list`, once imported, hides the built-in of that name.
COMMANDS = {
    "init": "print a first job description to go on from",
    "render": "write a Helm chart, or plain manifests, for each job description",
    "validate": "tell every problem of job descriptions at once",
    "test": "lint, render and judge a chart, and try it on a cluster",
    "convert": "print the job description that a job in a native format means",
    "list": "list frameworks, their roles, native formats, clouds, examples and commands",
    "explain": "explain a framework or a field of the job description; show an example",
    "schema": "print the JSON Schema of job descriptions, for editors",
    "completion": "print a script that makes a shell complete chartgen's words",
}
