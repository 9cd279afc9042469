"""Wait for a request for a while, not for ever: a connection that holds one back is closed."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD_SECONDS = 20.0
"""In which a request's head must have arrived: from the first byte, or that of the connection."""


class PatientProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, but whoever sends byte by byte is not waited for.

    uvicorn itself closes only connections that are silent after an answer. The time of a body is
    the affair of `body_limits`; what goes on arriving after it was refused is bounded here, too.
    """

    seconds = HEAD_SECONDS
    _ending: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # As uvicorn has it.
        """Begin to wait."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take a piece; a request that is whole is answered without haste."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop_watching()
        super().connection_lost(exc)

    @property
    def _waits(self) -> bool:
        answering: RequestResponseCycle | None = self.cycle  # None before the first request.
        return answering is None or answering.response_complete

    def _watch(self) -> None:
        if not self._waits:
            self._stop_watching()
        elif self._ending is None and not self.transport.is_closing():
            self._ending = self.loop.call_later(self.seconds, self._end)

    def _stop_watching(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
            self._ending = None

    def _end(self) -> None:
        self._ending = None
        if self._waits:
            self.transport.close()
