"""A project: a repository of jobs, by its file chartgen.yaml."""
