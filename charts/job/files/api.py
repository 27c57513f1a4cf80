"""The API of the cluster that a pod runs in, for Python 2.7 and 3: images of jobs have either."""

import json
import os
import signal
import ssl
import sys
import time

try:
    from urllib.error import HTTPError
    from urllib.parse import urlencode
    from urllib.request import Request, urlopen
except ImportError:  # Python 2
    from urllib import urlencode

    from urllib2 import HTTPError, Request, urlopen

MOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
INTERVAL = 5  # seconds between two requests
JOBS = "/apis/batch/v1/namespaces/%s/jobs" % os.environ.get("NAMESPACE")
# As process 1 of its container a program ignores the signal of an uninstall, and has to be killed.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


class Refused(Exception):
    """The server does not allow a request."""


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def find(objects, selector):
    """The objects that a label selector names."""
    return ask("GET", "%s?%s" % (objects, urlencode({"labelSelector": selector})))["items"]


def remove(objects, name):
    """Delete an object and what it owns."""
    ask("DELETE", "%s/%s" % (objects, name), {"propagationPolicy": "Background"})
    say("%s: removed" % name)


def ask(method, path, body=None):
    """One request to the API server, tried again while it cannot be reached or is busy."""
    host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
    host = "[%s]" % host if ":" in host else host
    context = ssl.create_default_context(cafile=MOUNT + "/ca.crt")
    refusals = 0
    while True:
        with open(MOUNT + "/token") as file:  # it is renewed while we wait
            headers = {"Authorization": "Bearer " + file.read(), "Accept": "application/json"}
        if body:
            merge = "application/merge-patch+json"
            headers["Content-Type"] = merge if method == "PATCH" else "application/json"
        data = json.dumps(body).encode() if body else None
        request = Request("https://%s:%s%s" % (host, port, path), data, headers)
        request.get_method = lambda: method
        try:
            answer = urlopen(request, context=context, timeout=30)
            return json.loads(answer.read().decode())
        except HTTPError as error:
            if method != "GET" and error.code == 404:
                return None
            refusals += error.code in (401, 403)  # a new Role may not be known to all servers yet
            if error.code < 500 and error.code != 429 and refusals not in (1, 2, 3):
                raise Refused("%s %s: %s %s" % (method, path, error.code, error.read().decode()))
        except (OSError, IOError) as error:
            say("%s %s: %s; trying again" % (method, path, error))
        time.sleep(INTERVAL)
