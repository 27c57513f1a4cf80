"""A light way to the API of Kubernetes: plain requests and JSON, with nothing but Python's own."""

import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from socket import SHUT_RDWR, socket
from threading import Event, Thread
from urllib.parse import quote, urlencode, urlsplit

from chartgen.errors import WorldError
from chartgen.k8s import answers
from chartgen.k8s.objects import Object
from chartgen.world.cluster import kubeconfig
from chartgen.world.cluster.kubeconfig import Access

JOBS, PODS, EVENTS = "batch/v1/jobs", "v1/pods", "v1/events"

_TIMEOUT = 30.0  # seconds for an answer
_PAGE = 1000  # objects of a list in one answer
_WATCH = 240  # seconds until the server ends a watch, and we begin another
_PAUSE = 2.0  # seconds before we try again
_OUTAGE = 120.0  # seconds without an answer until we give up: an API server may be restarted
_EXPIRED = 410
_HEADER = re.compile("[\t -~\x80-\xff]*")  # what the value of a header may be


class ApiError(WorldError):
    """The server refused a request."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


class _Tunnelled(HTTPSConnection):
    """A connection whose certificate may be for another name than the server's."""

    def __init__(self, host: str, port: int, access: Access) -> None:
        super().__init__(host, port, timeout=_TIMEOUT, context=access.tls)
        self._tls, self._name = access.tls, access.server_name

    def connect(self) -> None:
        if not self._name or self._tls is None:
            super().connect()
            return
        HTTPConnection.connect(self)
        self.sock = self._tls.wrap_socket(self.sock, server_hostname=self._name)


class Api:
    """The API server; safe to use from several threads."""

    def __init__(self, access: Access) -> None:
        self._access, self.namespace = access, access.namespace
        self._idle: list[HTTPConnection] = []
        self._streams: set[socket] = set()

    def get(self, path: str, **query: str) -> Object:
        """One object, or what a path answers."""
        return self._json("GET", path, query)

    def delete(self, path: str, **query: str) -> Object:
        """Delete an object."""
        return self._json("DELETE", path, query)

    def patch(self, path: str, body: Object) -> Object:
        """Merge fields into an object."""
        return self._json("PATCH", path, {}, body)

    def list(
        self, collection: str, namespace: str | None = None, **query: str
    ) -> tuple[list[Object], str]:
        """The objects of a collection in a namespace (or, for "", in all), and their version."""
        path = self.path(collection, namespace)
        objects: list[Object] = []
        token = ""
        known: set[str] = set()
        while True:
            more = {"continue": token} if token else {}
            answer = self.get(path, limit=str(_PAGE), **query, **more)
            items = answer.get("items")
            for item in items if isinstance(items, list) else ():
                if obj := answers.sound(item):
                    objects.append(obj)
            meta = answer.get("metadata")
            meta = meta if isinstance(meta, dict) else {}
            token = str(meta.get("continue") or "")
            if not token:
                return objects, str(meta.get("resourceVersion") or "")
            if token in known:
                raise WorldError(f"the API server's answer to {path} never ends")
            known.add(token)

    def path(self, collection: str, namespace: str | None = None, name: str = "") -> str:
        """The path of a collection, or of an object in it."""
        group, _, plural = collection.rpartition("/")
        root = f"/apis/{group}" if "/" in group else f"/api/{group}"
        chosen = self.namespace if namespace is None else namespace
        inside = f"/namespaces/{chosen}" if chosen else ""
        return f"{root}{inside}/{plural}" + (f"/{name}" if name else "")

    def lines(
        self, path: str, silence: float = _WATCH + _TIMEOUT, /, **query: str
    ) -> Iterator[bytes]:
        """The lines of an answer as they come; the connection is its own."""
        connection = self._connect()
        stream: socket | None = None
        try:
            connection.connect()
            stream = connection.sock  # which the connection may hand over to the answer
            self._streams.add(stream)
            answer = self._request(connection, "GET", path, query)
            # The server may be silent for long: a log without lines, a watch without changes.
            stream.settimeout(silence)
            while line := answer.readline():
                yield line
        except (OSError, HTTPException) as error:
            raise self._unreachable(error) from error
        finally:
            if stream is not None:
                self._streams.discard(stream)
            connection.close()

    def end_streams(self) -> None:
        """Make all who read streams stop: they see the end of them, or an error."""
        for stream in [*self._streams]:
            with suppress(OSError):  # closed already
                stream.shutdown(SHUT_RDWR)

    def close(self) -> None:
        """Close all connections."""
        self.end_streams()
        for connection in self._idle:
            connection.close()

    def _json(
        self, method: str, path: str, query: Mapping[str, str], body: Object | None = None
    ) -> Object:
        connection = self._idle.pop() if self._idle else self._connect()
        fresh = connection.sock is None
        try:
            answer = self._request(connection, method, path, query, body)
            data = _parse(answer.read())
        except (OSError, HTTPException) as error:
            connection.close()
            if fresh:
                raise self._unreachable(error) from error
            return self._json(method, path, query, body)  # an idle one may have been closed
        except WorldError:
            connection.close()
            raise
        self._idle.append(connection)
        return data

    def _request(
        self,
        connection: HTTPConnection,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: Object | None = None,
    ) -> HTTPResponse:
        headers = {"Accept": "application/json", **self._access.headers()}
        if not all(map(_HEADER.fullmatch, headers.values())):  # http.client would quote the token
            raise WorldError(
                "the credentials contain a character, such as a line break, that no header can have"
            )
        data = json.dumps(body).encode() if body else None
        if data:
            headers["Content-Type"] = "application/merge-patch+json"
        path = urlsplit(self._access.server).path + quote(path, safe="/:")
        url = f"{path}?{urlencode(query)}" if query else path
        connection.request(method, url, data, headers)
        answer = connection.getresponse()
        if answer.status >= 300:
            raise ApiError(_refusal(answer), answer.status)
        return answer

    def _connect(self) -> HTTPConnection:
        server, proxy = urlsplit(self._access.server), urlsplit(self._access.proxy)
        secure = server.scheme == "https"
        try:
            host, port = str(server.hostname), server.port or (443 if secure else 80)
            via, at = (str(proxy.hostname), proxy.port or 80) if proxy.hostname else (host, port)
        except ValueError as error:  # the port is not a number
            raise self._unreachable(error) from error
        if not secure:
            return HTTPConnection(via, at, timeout=_TIMEOUT)
        connection = _Tunnelled(via, at, self._access)
        if proxy.hostname:
            connection.set_tunnel(host, port)
        return connection

    def _unreachable(self, error: Exception) -> WorldError:
        why = str(error) or type(error).__name__
        return WorldError(f"cannot reach the cluster at {self._access.server}: {why}")


def connect(file: str, context: str, namespace: str) -> Api:
    """The cluster that kubectl and Helm would use for these options."""
    return Api(kubeconfig.access(file, context, namespace))


def now() -> float:
    """Seconds since 1970."""
    return time.time()


def _parse(text: bytes) -> Object:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):  # a proxy answers with HTML
        data = None
    if not isinstance(data, dict):
        shown = text[:60].decode(errors="replace")
        raise WorldError(f"expected a JSON object from the cluster, got {shown!r}")
    return data


def _refusal(answer: HTTPResponse) -> str:
    """What the server said, in a line."""
    text = answer.read(10_000).decode(errors="replace")
    with suppress(ValueError, AttributeError):  # a proxy answers with HTML
        text = json.loads(text).get("message") or text
    if answer.status == 401:
        text = "the credentials are not valid, or have expired"
    verb = "failed" if answer.status >= 500 else "refused"
    return f"the cluster {verb}: {text.strip() or answer.reason} ({answer.status})"


class Mirror(Thread):
    """A collection as the server has it, kept up to date until it is closed."""

    def __init__(self, api: Api, collection: str, query: Mapping[str, str], changed: Event) -> None:
        super().__init__(daemon=True)
        self._api, self._collection, self._query, self._changed = api, collection, query, changed
        self._objects: dict[str, Object] = {}
        self._since = time.monotonic()  # the last answer
        self._over = Event()
        self.trouble: WorldError | None = None  # what lasts too long to wait for its end
        self.known = False  # whether the server has answered at all

    def objects(self) -> list[Object]:
        """What there is now."""
        return [*self._objects.values()]

    def close(self) -> None:
        """Stop at the next chance."""
        self._over.set()

    def run(self) -> None:
        version = ""
        while not self._over.is_set() and not self.trouble:
            try:
                version = self._follow(version or self._list())
            except ApiError as error:
                version = ""  # perhaps expired; a list shows
                # A server that has just been restarted may not know all Roles yet.
                passing = (_EXPIRED, 401, 429, *((403,) if self.known else ()))
                if 400 <= error.code < 500 and error.code not in passing:
                    self._fail(error)
                self._rest(error, error.code != _EXPIRED)
            except WorldError as error:
                self._rest(error, True)

    def _list(self) -> str:
        items, version = self._api.list(self._collection, **self._query)
        self._objects = {obj["metadata"]["uid"]: obj for obj in items}
        self._note_answer()
        return version

    def _follow(self, version: str) -> str:
        """Apply changes until the watch ends; gives the version to go on from."""
        path = self._api.path(self._collection)
        query = {**self._query, "watch": "1", "allowWatchBookmarks": "true"}
        query |= {"resourceVersion": version, "timeoutSeconds": str(_WATCH)}
        for line in self._api.lines(path, **query):
            if self._over.is_set():
                return version
            event = _parse(line)
            content = event.get("object")
            content = content if isinstance(content, dict) else {}
            if event.get("type") == "ERROR":
                code = content.get("code")
                raise ApiError(str(content.get("message")), code if isinstance(code, int) else 500)
            obj = answers.sound(content)
            meta = (
                obj["metadata"] if obj else content.get("metadata")
            )  # a bookmark is not an object
            if isinstance(meta, dict):
                version = str(meta.get("resourceVersion") or version)
            if obj and event.get("type") == "DELETED":
                self._objects.pop(obj["metadata"]["uid"], None)
            elif obj and event.get("type") != "BOOKMARK":
                self._objects[obj["metadata"]["uid"]] = obj
            self._note_answer()
        return version

    def _note_answer(self) -> None:
        self._since, self.known = time.monotonic(), True
        self._changed.set()

    def _rest(self, error: WorldError, pause: bool) -> None:
        if time.monotonic() - self._since > _OUTAGE or not self.known:
            self._fail(error)
        elif pause:
            self._over.wait(_PAUSE)

    def _fail(self, error: WorldError) -> None:
        self.trouble = error
        self._changed.set()


class Mirrors:
    """Several collections, and a way to wait until one of them changes."""

    def __init__(self, api: Api, queries: Mapping[str, Mapping[str, str]]) -> None:
        self._api, self._changed = api, Event()
        self._all = {
            name: Mirror(api, name, query, self._changed) for name, query in queries.items()
        }
        for mirror in self._all.values():
            mirror.start()

    def objects(self) -> dict[str, list[Object]]:
        """What there is now; WorldError if the cluster does not answer any more."""
        for mirror in self._all.values():
            if mirror.trouble:
                raise mirror.trouble
        return {name: mirror.objects() for name, mirror in self._all.items()}

    def wait(self, timeout: float) -> None:
        """Wait until something changes, and a moment more, because changes come in groups."""
        if self._changed.wait(timeout):
            time.sleep(min(0.2, timeout))
        self._changed.clear()

    def wait_until_known(self) -> None:
        """Wait for the first answers."""
        while not all(mirror.known or mirror.trouble for mirror in self._all.values()):
            self._changed.wait(_TIMEOUT)
            self._changed.clear()

    def close(self) -> None:
        """Stop."""
        for mirror in self._all.values():
            mirror.close()
        self._api.end_streams()
        for mirror in self._all.values():
            mirror.join(_PAUSE)
