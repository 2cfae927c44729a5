"""HTTP of uvicorn, with a time limit for the head of a request and errors in JSON."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from sailplan.web.guard import SECURITY_HEADERS
from sailplan.web.refusals import encode

HEAD_SECONDS = 10.0
"""A connection is closed if the head of a request takes longer."""


class Protocol(H11Protocol):
    """A connection."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._set_timer()

    def data_received(self, data: bytes) -> None:
        """Read on; uvicorn itself stops the time between requests at their first byte."""
        super().data_received(data)
        self._set_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_timer()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE) and not self.transport.is_closing():
            headers = {**SECURITY_HEADERS, "cache-control": "no-store", "content-type": "application/json"}
            start = h11.Response(
                status_code=400, headers=[*headers.items(), ("connection", "close")], reason=b"Bad Request"
            )
            body = h11.Data(data=encode({"error": msg}))
            parts = [self.conn.send(part) or b"" for part in (start, body, h11.EndOfMessage())]
            self.transport.write(b"".join(parts))
        self.transport.close()

    def _set_timer(self) -> None:
        """Start the timer when a head begins, and stop it at its end."""
        if self.conn.their_state is not h11.IDLE:
            self._stop_timer()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self._too_slow)

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _too_slow(self) -> None:
        self._head_timer = None
        self.transport.close()
