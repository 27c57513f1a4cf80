"""A stand-in for the ElasticDL of July 2019, with its command lines, its conversation and the pods that it makes.

That ElasticDL was never published as a package. The one on PyPI is a year younger: its master knows other flags, makes
parameter servers, and cannot run without making its workers; and it wants a TensorFlow that no Python of today can
load. So this takes its place: it parses the flags of July 2019 as strictly as the real one (python/args.py, which the
tests of the charts use as well), hands out tasks on the master's port, and makes, watches and replaces workers through
the cluster's API, with the same names, labels and flags. Its workers fail if they do not reach the master, and end well
when there are no more tasks.

It does not train. A record is a line of a text file, a model is a module with a function that makes a number of a
record, and the master adds up the numbers: every record counts once for each epoch, whoever is lost on the way.
Evaluation on the way, checkpoints and TensorBoard are left out. Tests should not wait, so the master looks every half
second for the end, not every 30, and both end at once when they are told to.
"""
