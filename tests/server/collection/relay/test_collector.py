"""What a relay asks its collector behind a proxy that ends idle connections; deploy/roles/nginx.conf does."""

from __future__ import annotations

import socket
import threading

from server.collection.relay.collector import Collector
from server.collection.relay.link import RelayLink

BODY = b'{"state": "closed", "total": 2}'


def test_a_kept_connection_that_the_other_side_ended_is_made_anew() -> None:
    ended = threading.Semaphore(0)

    def answer(listening: socket.socket) -> None:
        for _ in range(2):  # one answer a connection, without having said that it ends
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY)
            ended.release()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=answer, args=(listening,), daemon=True)
        thread.start()
        base = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        collector = Collector(RelayLink(base=base, digest="0" * 64, organizer_key=bytes(32)))
        for _ in range(2):
            said = collector.said()
            assert said is not None
            assert said.exact == 2
            assert ended.acquire(timeout=10)
        collector.close()
        thread.join()
