"""A Dask cluster of this machine, made by hand as an operator makes one, with certificates."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from server.executor.cluster import TLS_SETTINGS
from tests.programs import Program, free_port

_ROOT = Path(__file__).parents[3]


def certificates(folder: Path) -> dict[str, str]:
    """An authority and a certificate of it for localhost, as Dask's settings name them."""
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = _signed("authority", authority_key.public_key(), "authority", authority_key, True)
    certificate = _signed("cluster", key.public_key(), "authority", authority_key, False)
    paths = [folder / name for name in ("authority.pem", "cluster.pem", "cluster.key")]
    paths[0].write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    paths[2].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return {name: str(path) for (_, name), path in zip(TLS_SETTINGS, paths, strict=True)}


def _signed(
    name: str, key: ec.EllipticCurvePublicKey, by: str, by_key: ec.EllipticCurvePrivateKey, authority: bool
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    subject, issuer = (x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)]) for text in (name, by))
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=2))
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(by_key, hashes.SHA256())
    )


@contextmanager
def started(folder: Path, files: Mapping[str, str]) -> Iterator[tuple[str, Program]]:
    """The address of a scheduler that is reached by TLS, and the scheduler."""
    url = f"tls://127.0.0.1:{free_port()}"
    command = ["distributed.cli.dask_scheduler", "--host", url, "--no-dashboard", "--no-show", *_given(files)]
    with _running(
        [*command, "--dashboard-address", f"127.0.0.1:{free_port()}"], "Scheduler at", folder
    ) as scheduler:
        yield url, scheduler


@contextmanager
def joined(url: str, folder: Path, files: Mapping[str, str], *options: str) -> Iterator[Program]:
    """A worker of a scheduler, with options."""
    command = ["distributed.cli.dask_worker", url, "--no-dashboard", "--local-directory", str(folder)]
    with _running([*command, *_given(files), *options], "Registered to", folder) as worker:
        yield worker


def _given(files: Mapping[str, str]) -> list[str]:
    return [
        f"--tls-{kind}={path}" for kind, path in zip(("ca-file", "cert", "key"), files.values(), strict=True)
    ]


def _running(command: list[str], ready: str, folder: Path) -> Program:
    environment = {"PYTHONPATH": str(_ROOT)}
    return Program([sys.executable, "-m", *command], ready, cwd=folder, environment=environment)
