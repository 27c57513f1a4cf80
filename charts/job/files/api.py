"""The API of the cluster that a pod runs in, for Python 2.7 and 3: images of jobs have either."""

import json
import os
import signal
import ssl
import sys
import time

try:
    from http.client import HTTPException, HTTPSConnection
except ImportError:  # Python 2
    from httplib import HTTPException, HTTPSConnection

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
    return ask("GET", "%s?labelSelector=%s" % (objects, selector))["items"]


def remove(objects, name):
    """Delete an object and what it owns."""
    ask("DELETE", "%s/%s" % (objects, name), {"propagationPolicy": "Background"})
    say("%s: removed" % name)


def ask(method, path, body=None):
    """One request to the API server, tried again while it cannot be reached or is busy."""
    server = os.environ["KUBERNETES_SERVICE_HOST"], int(os.environ["KUBERNETES_SERVICE_PORT"])
    trusted = ssl.create_default_context(cafile=MOUNT + "/ca.crt")
    refusals = 0
    while True:
        with open(MOUNT + "/token") as file:  # it is renewed while we wait
            headers = {"Authorization": "Bearer " + file.read(), "Accept": "application/json"}
        if body:
            merge = "application/merge-patch+json"
            headers["Content-Type"] = merge if method == "PATCH" else "application/json"
        try:
            connection = HTTPSConnection(*server, timeout=30, context=trusted)
            connection.request(method, path, json.dumps(body) if body else None, headers)
            answer = connection.getresponse()
            code, text = answer.status, answer.read().decode()
        except (HTTPException, OSError, IOError) as error:
            say("%s %s: %s; trying again" % (method, path, error))
        else:
            if code < 300:
                return json.loads(text)
            if method != "GET" and code == 404:
                return None
            refusals += code in (401, 403)  # a new Role may not be known to all servers yet
            if code < 500 and code != 429 and refusals not in (1, 2, 3):
                raise Refused("%s %s: %s %s" % (method, path, code, text))
        time.sleep(INTERVAL)
