"""Which requests are answered: those of the page that this server has sent, and no other page's.

A page of somebody else may send requests to this machine, too: by its address or by a name that it makes point here. So
the name that the browser asked for must be one of this machine (`Host`), a page that sends something must be this one
(`Origin`, `Sec-Fetch-Site`), and it must know the token that only this page was told.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

NAMES = ("127.0.0.1", "localhost", "[::1]")
TOKEN = "HTTP_X_CRATON_TOKEN"


@dataclass(frozen=True, slots=True)
class Guard:
    port: int
    token: str

    @property
    def _hosts(self) -> tuple[str, ...]:
        return tuple(f"{name}:{self.port}" for name in NAMES) + (NAMES if self.port == 80 else ())

    def objection(self, environ: Mapping[str, Any]) -> str:
        """Why a request is not answered; "" if it is."""
        host = environ.get("HTTP_HOST", "")
        if host not in self._hosts:
            return "this server answers to names of this machine only"
        origin = environ.get("HTTP_ORIGIN")
        if origin is not None and origin != f"http://{host}":
            return "the request comes from another page"
        if environ.get("HTTP_SEC_FETCH_SITE", "none") not in ("none", "same-origin"):
            return "the request comes from another site"
        if environ["REQUEST_METHOD"] == "POST":
            return self._objection_to_orders(environ)
        return ""

    def _objection_to_orders(self, environ: Mapping[str, Any]) -> str:
        """What changes something has to come from the page itself."""
        if environ.get("CONTENT_TYPE", "").partition(";")[0].strip() != "application/json":
            return "what is sent has to be JSON"
        if not hmac.compare_digest(environ.get(TOKEN, "").encode(), self.token.encode()):
            return "the page is of an earlier server: load it again"
        return ""
