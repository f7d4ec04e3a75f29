"""Workers of a Dask cluster: processes of this machine, or of other machines whose scheduler is named.

Tasks hold records of people, and a worker's answer is unpickled here: whoever runs scheduler or workers is
trusted with both. So the way to another machine is encrypted and both ends show a certificate; on this
machine a cluster that `local` starts does the same, because other users could connect to it otherwise.
"""

from __future__ import annotations

import ipaddress
import logging
import pickle
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from server.executor import THREADS, Executor, in_order, processors
from server.executor.worker import Answer, Greeting, Parcel, difference, greet, installation, run
from server.progress import Progress
from shared.errors import InputError, RemoteError, SetupError

Task = TypeVar("Task")
Result = TypeVar("Result")

LOCAL: Final = "local"
_PATIENCE_SECONDS: Final = 10
_EXPECTED: Final = "local, local:N for N processes, or tls://HOST:PORT of a Dask scheduler"
TLS_SETTINGS: Final = (
    ("tls_ca_file", "DASK_DISTRIBUTED__COMM__TLS__CA_FILE"),
    ("tls_client_cert", "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT"),
    ("tls_client_key", "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY"),
)
"""Dask's own settings: its name of each, and the environment variable."""

_CONFIGURATION: Final = {
    # Tasks travel whole, so that they can be done again elsewhere when a worker dies.
    "distributed.admin.large-graph-warning-threshold": "1TB",
    # Of a local cluster: no page that shows anything, nothing of memory on a disk, interrupts for us alone.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.preload": ["server.executor.worker"],
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where tasks are done: ``processes`` of this machine, or the workers of the scheduler at ``url``."""

    processes: int = 0
    url: str = ""

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read ``local``, ``local:N`` or the address of a scheduler.

        Raises
        ------
        InputError
            For anything else, and for another machine without TLS.
        """
        kind, _, number = text.partition(":")
        if text == LOCAL:
            return cls(processes=processors())
        if kind == LOCAL and number.isascii() and number.isdecimal() and 0 < int(number) <= 1024:
            return cls(processes=int(number))
        try:
            parts = urlsplit(text)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        plain = bool(host and port) and text == f"{parts.scheme}://{parts.netloc}" and "@" not in text
        if kind == LOCAL or not plain or parts.scheme not in ("tls", "tcp"):
            raise InputError("this is no cluster", where=f"--cluster {text}", expected=_EXPECTED)
        if parts.scheme == "tcp" and not _is_loopback(str(host)):
            raise InputError(
                "records of people would go to another machine unencrypted",
                where=f"--cluster {text}",
                expected="tls://HOST:PORT; tcp:// only for a scheduler of this machine, such as "
                "tcp://127.0.0.1:8786",
                remedy="Start scheduler and workers with certificates; the operator's guide says how.",
            )
        return cls(url=text)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextmanager
def executor_at(cluster: str | None) -> Iterator[Executor]:
    """The executor that ``--cluster`` names, while it is used; threads of this process if it names none.

    Raises
    ------
    InputError
        As :meth:`Address.parse`.
    SetupError
        If Dask or a certificate is missing here, or the workers have another installation.
    RemoteError
        If the scheduler cannot be reached, or has no worker that may be used.
    """
    if cluster is None:
        yield THREADS
        return
    address = Address.parse(cluster)
    try:
        import dask
        import distributed  # noqa: F401 - asked for here, where it can be missing
    except ImportError:
        raise SetupError(
            "Dask is not installed",
            where=f"--cluster {cluster}",
            remedy="Install it: pip install 'roomful[cluster]'. Without --cluster nothing more is needed.",
        ) from None
    with (
        dask.config.set(_CONFIGURATION),
        _local(address.processes) if address.processes else _remote(address.url) as client,
    ):
        yield _Workers(client)


@contextmanager
def _local(processes: int) -> Iterator[Any]:
    """A client of a cluster of processes of this machine, which end with it."""
    import dask
    from distributed import Client, LocalCluster

    with (
        TemporaryDirectory(prefix="roomful-cluster-") as folder,
        dask.config.set({"temporary-directory": folder}),
        LocalCluster(
            n_workers=processes,
            threads_per_worker=1,
            security=True,
            dashboard_address=None,
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # else 8787, which may be taken
            memory_limit=None,
            local_directory=folder,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster, security=cluster.security) as client,
    ):
        yield client


@contextmanager
def _remote(url: str) -> Iterator[Any]:
    """A client of a scheduler, whose workers may be used."""
    from distributed import Client
    from distributed.security import Security

    security = Security()
    if url.startswith("tls:"):
        missing = [name for field, name in TLS_SETTINGS if not getattr(security, field)]
        if missing:
            raise SetupError(
                f"no certificates are given ({', '.join(missing)})",
                where=f"--cluster {url}",
                remedy="Set them to the files of the cluster's authority, and of this client's certificate "
                "and key; the operator's guide says how.",
            )
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = Client(url, security=security, timeout=_PATIENCE_SECONDS, set_as_default=False)
    except (OSError, ValueError, RuntimeError) as problem:
        raise RemoteError(
            f"the scheduler cannot be used ({_words(problem)})",
            where=f"--cluster {url}",
            remedy="Check that it runs, and that its certificate and ours are of the same authority.",
        ) from None
    with client:
        _require_usable(client, url)
        yield client


def _words(problem: BaseException) -> str:
    """What was wrong at the bottom of it, in one line."""
    while problem.__cause__ is not None:
        problem = problem.__cause__
    return (str(problem) or type(problem).__name__).splitlines()[0]


def _require_usable(client: Any, url: str) -> None:
    """Refuse workers that would see records without protection, or compute other bytes."""
    where = f"--cluster {url}"
    try:
        greetings: dict[str, Greeting] = client.run(greet)
    except Exception as problem:
        raise SetupError(
            f"a worker cannot run this version of Roomful ({_words(problem)})",
            where=where,
            remedy="Install the same version with the extra [cluster] on every worker, and start it there.",
        ) from None
    if not greetings:
        raise RemoteError("the scheduler has no workers", where=where, remedy="Start them: dask worker.")
    for worker, greeting in greetings.items():
        if not worker.startswith("tls:") and not _is_loopback(str(urlsplit(worker).hostname)):
            raise RemoteError(
                f"the worker {worker} is reached without encryption",
                where=where,
                remedy="Start it with --protocol tls and certificates.",
            )
        if differs := difference(installation(), greeting.installation):
            raise _other_installation(differs, f"{where}, worker {worker}")
        if greeting.threads != 1:
            raise SetupError(
                f"the worker {worker} has {greeting.threads} threads; numbers would depend on it",
                where=where,
                remedy="Start workers with --nthreads 1 and more --nworkers.",
            )
        if greeting.spills:
            raise SetupError(
                f"the worker {worker} may write records to its disk when memory is short",
                where=where,
                remedy="Start workers with --memory-limit 0.",
            )


def _other_installation(differs: str, where: str) -> SetupError:
    return SetupError(
        f"another version would compute other bytes: {differs}",
        where=where,
        remedy="Install the same version of Roomful and the packages of its requirements.txt everywhere.",
    )


class _Workers:
    """The workers of a cluster."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._pool = client.get_executor(pure=False)

    @property
    def workers(self) -> int:
        """Workers that are there now."""
        return max(1, len(self._client.nthreads()))

    def map(
        self,
        work: Callable[[Task], Result],
        tasks: Iterable[Task],
        *,
        progress: Progress | None = None,
        total: int = 0,
    ) -> list[Result]:
        """As `Executor.map`.

        Raises
        ------
        RemoteError
            If the scheduler is lost, or workers die again and again.
        """
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        def submit(task: Task) -> Future[Answer]:
            sent: Future[Answer] = self._pool.submit(run, Parcel(installation(), work, task))
            return sent

        try:
            answers = in_order(submit, tasks, self.workers, progress, total, _opened)
        except KilledWorker:
            raise RemoteError(
                "workers died again and again over the same task",
                remedy="They are most likely short of memory: give them more, or start fewer on a machine.",
            ) from None
        except (CancelledError, FutureCancelledError):
            raise RemoteError(
                "the scheduler was lost", remedy="Look at its log, start it again, and run the command again."
            ) from None
        return answers


def _opened(answer: Answer) -> Any:
    """The result in an answer, or its error."""
    if answer.differs:
        raise _other_installation(answer.differs, "a worker that joined")
    if answer.error is not None:
        raise answer.error
    return pickle.loads(answer.result)  # noqa: S301 - whoever runs workers is trusted, see above
