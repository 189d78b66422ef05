"""The playground as a WSGI application: the page, its examples, completion of expressions, and jobs.

Every answer forbids the browser what the page does not need: other sources, being framed, guessing types.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs

from craton.errors import CratonError
from craton.serve.examples import examples
from craton.serve.guard import Guard
from craton.serve.jobs import Job, Jobs, State, TooMany
from craton.serve.orders import PROPERTIES, Order

MOST_BYTES = 1 << 20  # of a request
MOST_SECONDS = 120.0  # of a job
_LONGEST_QUERY = 4_000

_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'"
)
# A report may run its own script, in an origin of its own that can ask for nothing.
_REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline';"
    " frame-ancestors 'self'"
)
_HEADERS = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "no-store"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
)
_ASSETS = {"/app.js": ("app.js", "text/javascript"), "/app.css": ("app.css", "text/css")}

StartResponse = Callable[[str, list[tuple[str, str]]], Any]


@dataclass(frozen=True, slots=True)
class Answer:
    status: HTTPStatus
    content: bytes
    kind: str
    policy: str = _PAGE_POLICY

    @classmethod
    def data(cls, content: Any, status: HTTPStatus = HTTPStatus.OK) -> Answer:
        return cls(status, json.dumps(content).encode(), "application/json")

    @classmethod
    def problem(cls, status: HTTPStatus, why: str) -> Answer:
        return cls.data({"error": why}, status)


class Application:
    """What a server calls for each request."""

    def __init__(self, guard: Guard, jobs: Jobs, most_seconds: float = MOST_SECONDS) -> None:
        self.guard, self.jobs, self.most_seconds = guard, jobs, most_seconds

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        answer = self._answer(environ)
        headers = [("Content-Type", f"{answer.kind}; charset=utf-8"), ("Content-Security-Policy", answer.policy)]
        headers += [("Content-Length", str(len(answer.content))), *_HEADERS]
        start_response(f"{answer.status.value} {answer.status.phrase}", headers)
        return [b"" if environ["REQUEST_METHOD"] == "HEAD" else answer.content]

    def _answer(self, environ: dict[str, Any]) -> Answer:
        objection = self.guard.objection(environ)
        if objection:
            return Answer.problem(HTTPStatus.FORBIDDEN, objection)
        method, path = environ["REQUEST_METHOD"], environ.get("PATH_INFO", "/")
        if method == "POST":
            return self._ordered(path, environ)
        if method not in ("GET", "HEAD"):
            return Answer.problem(HTTPStatus.METHOD_NOT_ALLOWED, "GET and POST are understood")
        return self._asked(path, environ.get("QUERY_STRING", ""))

    # --- what is asked ---

    def _asked(self, path: str, query: str) -> Answer:
        if path == "/":
            page = _asset("index.html").replace("TOKEN", self.guard.token)
            return Answer(HTTPStatus.OK, page.encode(), "text/html")
        if path in _ASSETS:
            name, kind = _ASSETS[path]
            return Answer(HTTPStatus.OK, _asset(name).encode(), kind)
        if path == "/about":
            return Answer.data(self._about())
        if path == "/complete":
            return Answer.data(_completions(query))
        parts = path.split("/")
        job = self.jobs.find(parts[2]) if len(parts) in (3, 4) and parts[1] == "jobs" else None
        if job is not None and len(parts) == 3:
            return Answer.data(self._told(job))
        if job is not None and parts[3] == "report" and job.report:
            return Answer(HTTPStatus.OK, job.report.encode(), "text/html", _REPORT_POLICY)
        return Answer.problem(HTTPStatus.NOT_FOUND, "there is nothing here")

    def _about(self) -> dict[str, Any]:
        from craton.configuration.engines import ENGINES
        from craton.version import __version__

        return {
            "version": __version__,
            "examples": examples(),
            "properties": PROPERTIES,
            "engines": list(ENGINES.entries),
            "most_seconds": self.most_seconds,
        }

    def _told(self, job: Job) -> dict[str, Any]:
        told: dict[str, Any] = {"id": job.id, "state": job.state.value, "progress": job.progress}
        if job.state is State.WAITING:
            told["ahead"] = self.jobs.ahead(job)
        return told | ({"answer": job.answer, "report": bool(job.report)} if job.state is State.DONE else {})

    # --- what is ordered ---

    def _ordered(self, path: str, environ: dict[str, Any]) -> Answer:
        try:
            content = _body(environ)
            if path == "/jobs":
                return Answer.data(self._told(self.jobs.add(Order.of(content, self.most_seconds))), HTTPStatus.CREATED)
            parts = path.split("/")
            job = self.jobs.find(parts[2]) if len(parts) == 4 and parts[1::2] == ["jobs", "stop"] else None
            if job is None:
                return Answer.problem(HTTPStatus.NOT_FOUND, "there is nothing here")
            self.jobs.stop(job)
            return Answer.data(self._told(job))
        except TooMany as problem:
            return Answer.problem(HTTPStatus.SERVICE_UNAVAILABLE, str(problem))
        except _TooLarge as problem:
            return Answer.problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, str(problem))
        except CratonError as problem:
            return Answer.problem(HTTPStatus.BAD_REQUEST, str(problem))


class _TooLarge(CratonError):
    """More than anybody writes by hand."""


def _body(environ: dict[str, Any]) -> Any:
    length = environ.get("CONTENT_LENGTH") or "0"
    if not length.isdecimal() or int(length) > MOST_BYTES:
        raise _TooLarge(f"a request has at most {MOST_BYTES} bytes")
    try:
        return json.loads(environ["wsgi.input"].read(int(length)))
    except (ValueError, RecursionError) as problem:
        raise CratonError("what is sent has to be JSON") from problem


def _completions(query: str) -> list[str]:
    from craton.configuration.engines import ENGINES
    from craton.configuration.refiners import REFINERS
    from craton.registry.completion import completions

    if len(query) > _LONGEST_QUERY:
        return []
    asked = parse_qs(query)
    text = asked.get("text", [""])[0]
    return completions(ENGINES if asked.get("kind") == ["engine"] else REFINERS, text)[:40]


def _asset(name: str) -> str:
    return (files("craton.serve") / "assets" / name).read_text(encoding="utf-8")
