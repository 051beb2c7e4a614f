"""One API behind a free port of the loopback address: what it was asked, what its model would have seen, and faults.

The servers stand in for the Claude and the OpenAI API in tests and benchmarks, spoken to by the vendors' own SDKs. What
they do follows public documentation and the SDKs' docstrings; nothing in them was checked against the live services.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

from loopback_views import View

Body = dict[str, Any]


class ApiError(Exception):
    """An answer with an error status; `body` is the error object in the API's own shape."""

    def __init__(self, status: int, body: Body) -> None:
        super().__init__(json.dumps(body))
        self.status, self.body = status, body


@dataclass
class Record:
    """One request. `saw` is what the model would have seen of it after the server's own expansion of blocks, `shown`
    what the writer of a summary saw, with `prompt`; `compacted` says which mechanism wrote one."""

    path: str
    body: Body
    betas: tuple[str, ...] = ()
    key: str | None = None
    status: int | None = None
    error: str | None = None
    saw: View | None = None
    shown: View | None = None
    prompt: str | None = None
    summary: str | None = None
    compacted: str | None = None
    cleared: int = 0
    usage: Body = field(default_factory=dict)
    fault: str | None = None


@dataclass(frozen=True)
class Reply:
    """What goes back: an object, or the events of a stream."""

    body: Body
    events: tuple[Body, ...] | None = None
    ends_with: str = ""


class Api(Protocol):
    """One vendor's API as a state machine."""

    def answer(self, record: Record) -> Reply: ...

    def fault(self, status: int, said: str) -> Body: ...

    def filtered(self, record: Record) -> Reply: ...


class FaultKind(StrEnum):
    """What may go wrong on the wire, or before the model."""

    RATE_LIMIT = "429"
    SERVER_ERROR = "500"
    DROPPED = "dropped connection"
    SLOW = "slow"
    TRUNCATED = "truncated answer"
    MALFORMED = "malformed JSON"
    CONTENT_FILTER = "content filter"


@dataclass
class Fault:
    """A fault that meets the next `times` requests whose path ends with `path`, after `skip` of them."""

    kind: FaultKind
    path: str = ""
    times: int = 1
    skip: int = 0
    seconds: float = 0.2


class Loopback:
    """A running server around an API; a context manager. `url` is its address without a path."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.records: list[Record] = []
        self.faults: list[Fault] = []
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Loopback:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def of(self, path: str) -> list[Record]:
        """The requests whose path ends so, in order."""
        return [record for record in self.records if record.path.endswith(path)]

    def take(self, record: Record) -> Fault | None:
        """The fault that meets this request, if one does; it is used up."""
        with self._lock:
            self.records.append(record)
            for fault in self.faults:
                if not record.path.endswith(fault.path) or fault.times == 0:
                    continue
                if fault.skip:
                    fault.skip -= 1
                    continue
                fault.times -= 1
                record.fault = str(fault.kind)
                return fault
        return None

    def respond(self, record: Record) -> Reply:
        """What the API says. One request at a time: its state is one."""
        with self._lock:
            return self.api.answer(record)


def _handler(server: Loopback) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            record = _recorded(self.path, self.headers, self.rfile.read(length))
            fault = server.take(record)
            if fault is not None and fault.kind is FaultKind.DROPPED:
                self._hang_up()
                return
            if fault is not None and fault.kind is FaultKind.SLOW:
                time.sleep(fault.seconds)
            record.status, kind, data = _answered(server, record, fault)
            self._send(record.status, kind, data, cut=fault is not None and fault.kind is FaultKind.TRUNCATED)

        def _send(self, status: int, kind: str, data: bytes, cut: bool) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.send_header("request-id", "req_loopback")
            if status == 429:
                self.send_header("retry-after-ms", "1")
            self.end_headers()
            self.wfile.write(data[: len(data) // 2] if cut else data)
            if cut:
                self._hang_up()

        def _hang_up(self) -> None:
            self.close_connection = True
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)

    return Handler


def _recorded(path: str, headers: Mapping[str, str], body: bytes) -> Record:
    betas = tuple(beta.strip() for beta in (headers.get("anthropic-beta") or "").split(",") if beta.strip())
    key = headers.get("x-api-key") or (headers.get("authorization") or "").removeprefix("Bearer ") or None
    return Record(path.partition("?")[0], json.loads(body or b"{}"), betas, key)


def _answered(server: Loopback, record: Record, fault: Fault | None) -> tuple[int, str, bytes]:
    """Status, content type and bytes of an answer."""
    try:
        reply = _reply(server, record, fault)
    except ApiError as error:
        record.error = str(error)
        return error.status, "application/json", _json(error.body)
    if fault is not None and fault.kind is FaultKind.MALFORMED:
        return 200, "application/json", _json(reply.body)[:-2] + b',"'
    if reply.events is None:
        return 200, "application/json", _json(reply.body)
    return 200, "text/event-stream", _events(reply)


def _reply(server: Loopback, record: Record, fault: Fault | None) -> Reply:
    refused: dict[FaultKind, Callable[[], ApiError]] = {
        FaultKind.RATE_LIMIT: lambda: ApiError(429, server.api.fault(429, "too many requests")),
        FaultKind.SERVER_ERROR: lambda: ApiError(500, server.api.fault(500, "internal server error")),
    }
    if fault is not None and fault.kind in refused:
        raise refused[fault.kind]()
    if not record.key:
        raise ApiError(401, server.api.fault(401, "no key"))
    if fault is not None and fault.kind is FaultKind.CONTENT_FILTER:
        return server.api.filtered(record)
    return server.respond(record)


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _events(reply: Reply) -> bytes:
    lines = [
        (f"event: {event['type']}\n" if "type" in event else "") + f"data: {json.dumps(event, ensure_ascii=False)}\n\n"
        for event in reply.events or ()
    ]
    return ("".join(lines) + reply.ends_with).encode()
