"""A telephone's connection in front of a server on this machine: bytes wait their turn, requests their way.

Chromium's own throttling does not reach what a worker fetches.
"""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from dataclasses import dataclass

CHUNK_BYTES = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """A connection.

    Attributes
    ----------
    bits_per_second : float
        To the device; shared by all that comes at once.
    round_trip_seconds : float
        From a request to the first byte of its answer, and to open a connection.
    """

    bits_per_second: float
    round_trip_seconds: float


FAST_3G = Speed(bits_per_second=1.44e6, round_trip_seconds=0.5625)
SLOW_3G = Speed(bits_per_second=0.4e6, round_trip_seconds=2.0)
"""The presets "Fast 3G" and "Slow 3G" of Chromium's developer tools."""


class SlowLine:
    """Listens on a port of its own and passes on to another.

    Attributes
    ----------
    bytes_down : int
        What has come through to the device.
    """

    def __init__(self, port: int, speed: Speed | None) -> None:
        self.bytes_down = 0
        self._target = port
        self._speed = speed
        self._free = 0.0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        self.port: int = self._server.sockets[0].getsockname()[1]

    def close(self) -> None:
        """End every connection, and listen no longer."""
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    async def _end(self) -> None:
        self._server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _listen(self) -> asyncio.Server:
        return await asyncio.start_server(self._accept, "127.0.0.1", 0)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._way()
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        with suppress(asyncio.CancelledError):  # by close(), which asks for no answer
            await asyncio.gather(self._up(reader, back), self._down(there, writer), return_exceptions=True)
        for each in (writer, back):
            each.close()

    async def _way(self) -> None:
        if self._speed:
            await asyncio.sleep(self._speed.round_trip_seconds)

    async def _up(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(CHUNK_BYTES):
            await self._way()
            writer.write(data)
            await writer.drain()
        writer.write_eof()

    async def _down(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(CHUNK_BYTES):
            if self._speed:
                self._free = max(self._free, time.monotonic()) + 8 * len(data) / self._speed.bits_per_second
                await asyncio.sleep(self._free - time.monotonic())
            self.bytes_down += len(data)
            writer.write(data)
            await writer.drain()
        writer.write_eof()
