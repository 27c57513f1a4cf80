"""A stand-in for the ElasticDL of July 2019: its command lines, its protocol and its pods.

That ElasticDL was never published as a package. The one on PyPI is a year younger: its master has
other flags, creates parameter servers, and cannot run without creating its workers; and it needs a
TensorFlow that no current Python can load. So this replaces it: it parses the flags of July 2019 as
strictly as the real one (python/args.py, which the tests of the charts use too), hands out tasks on
the master's port, and creates, watches and replaces workers through the cluster's API, with the
same names, labels and flags. Its workers fail if they cannot reach the master, and succeed when
there are no more tasks.

It does not train. A record is a line of a text file, a model is a module with a function that turns
a record into a number, and the master adds up the numbers: every record counts once per epoch, even
if workers are lost. Evaluation during training, checkpoints and TensorBoard are left out. Tests
should not wait, so the master checks for the end every half second instead of every 30 seconds, and
both end at once when they are stopped.
"""
