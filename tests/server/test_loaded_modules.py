"""What each long-running or secret-holding process has loaded: the libraries that are named here, no others.

Import contracts see our own modules only. A library that imports numpy by itself shows here.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from server.collection.storage.data_directory import DataDirectory
from tests.builders import ANSWERS, small_specification
from tests.data_files import write_csv, write_parquet
from tests.invited import digest_of
from tests.loaded import Loaded, Teller
from tests.programs import free_port
from tests.respondent_client.test_headless import PERSON, Server
from tests.server.collection.relay.process import RelayProcess, post
from tests.server.collection.relay.survey import link_text, open_collector, relayed, sealed
from tests.server.collection.storage import sample
from tests.server.collection.web.process import ServerProcess
from tests.server.collection.web.token_requests import ask, make_codes, make_request
from tests.server.release.trustees.test_trustees_commands import COUNTS, Town
from tests.towns import write_town

COMMAND = {"click", "cryptography", "cffi", "shared", "server"}
"""Of every command. cffi is cryptography's own."""
SERVER = COMMAND | {
    "flask",
    "werkzeug",
    "jinja2",
    "markupsafe",
    "itsdangerous",
    "blinker",
    "waitress",
    "gmpy2",
}
CLIENT = {"respondent_client", "brotli"}
"""What a server adds to give away the client's built pages."""
MOST_BYTES = 60 * 2**20
"""Resident memory of a server's worker after its first submission."""


def libraries(loaded: Loaded) -> frozenset[str]:
    """What is neither Python's own nor put there by an installation or by this test."""
    own = {name for name in loaded.libraries if name.startswith("_") or name == "sitecustomize"}
    return loaded.libraries - own - sys.stdlib_module_names - {"a1_coverage", "coverage"}


@pytest.fixture
def teller(tmp_path: Path) -> Teller:
    return Teller(tmp_path)


def test_the_server_of_an_open_survey(tmp_path: Path, teller: Teller) -> None:
    data, port = tmp_path / "data", free_port()
    with DataDirectory(data) as directory:
        survey = directory.publish(sample.envelope(), sample.MODEL)
        directory.survey(survey).open()
    with ServerProcess(data, port, environment=teller.environment, processes=2) as server:
        path = f"/api/v1/surveys/{survey}/submissions"
        for _ in range(4):
            assert ask(port, sample.message(), path=path)[0] == 201
        for process in (server.pid, *server.workers()):
            loaded = teller.ask(process)
            assert libraries(loaded) <= SERVER | CLIENT
            assert "cryptography.x509" not in loaded.modules
            assert loaded.bytes < MOST_BYTES


def test_registrar_collector_and_relay(tmp_path: Path, teller: Teller) -> None:
    registrar_port, collector_port, relay_port = free_port(), free_port(), free_port()
    specification = relayed(f"http://127.0.0.1:{relay_port}/", messages=2, seconds=1)
    digest = digest_of(specification)
    for role in ("registrar", "collector"):
        with DataDirectory(tmp_path / role) as directory:
            survey = open_collector(directory, specification).id
    link = link_text(specification, f"http://127.0.0.1:{collector_port}/")
    environment = teller.environment
    with (
        ServerProcess(
            tmp_path / "registrar", registrar_port, environment=environment, processes=1, role="registrar"
        ) as registrar,
        ServerProcess(
            tmp_path / "collector", collector_port, environment=environment, processes=1, role="collector"
        ) as collector,
        RelayProcess(link, tmp_path / "relay", relay_port, environment=environment) as relay,
    ):
        body = make_request(make_codes(1)[0]).body
        assert ask(registrar_port, body, path=f"/api/v1/surveys/{survey}/tokens")[0] == 200
        for number in range(2):
            assert post(relay_port, survey, sealed(digest, number)) == 202
        assert post(collector_port, survey, sealed(digest, 2)) == 201
        for process in (registrar, collector, relay):
            loaded = teller.ask(process.pid)
            assert libraries(loaded) <= SERVER | CLIENT
            assert "cryptography.x509" not in loaded.modules
            assert loaded.bytes < MOST_BYTES
        assert not any(name.startswith("server.collection.relay") for name in teller.ask(collector.pid).ours)


def test_whoever_holds_a_share_of_the_key(tmp_path: Path, teller: Teller) -> None:
    """Rehearsal, statement and opening, on the machine that is offline."""
    town = Town(tmp_path / "town")
    town.run("trustees", "challenge", town.survey, "--data", town.data, "--out", tmp_path / "challenge")
    rehearsals = [
        teller.run(
            "trustees", "rehearse", tmp_path / "challenge", *town.shares(*pair), "--out", tmp_path / "r.json"
        )
        for pair in ((1, 2), (2, 3))
    ]
    town.open_survey("--rehearsal", tmp_path / "r.json")
    town.fill(COUNTS)
    town.run("close", town.survey, "--data", town.data, "--yes")
    town.board()
    town.export()
    statements, words = [], []
    for number in (1, 2, 3):
        out = tmp_path / f"statement-{number}.json"
        words += ["--statement", out]
        own = (*town.shares(number), "--ledger", town.ledger(number), "--invitation", town.link)
        state = ("trustees", "state", town.folder / "export", *own, "--root", town.root, "--out", out)
        statements.append(teller.run(*state))
    opening = teller.run(
        "trustees",
        "open",
        town.folder / "export",
        *town.shares(1, 3),
        *words,
        "--root",
        town.root,
        "--invitation",
        town.link,
        "--out",
        tmp_path / "opened.json",
    )
    for loaded in (*rehearsals, *statements, opening):
        assert libraries(loaded) <= COMMAND | {"shamir_mnemonic"}
        assert not any(name.startswith("server.collection.web") for name in loaded.ours)


def test_a_respondent(tmp_path: Path, teller: Teller) -> None:
    answers = tmp_path / "person.json"
    answers.write_text(json.dumps({"quasi_identifiers": PERSON, "answers": ANSWERS}), "utf-8")
    server = Server()
    try:
        loaded = teller.run("respond", server.url, "--answers", answers)
    finally:
        server.http.shutdown()
        server.http.server_close()
    assert libraries(loaded) <= COMMAND | {"respondent_client"}


def test_whoever_signs(tmp_path: Path, teller: Teller) -> None:
    (tmp_path / "passphrase").write_text("long enough to keep\n")
    key = tmp_path / "key.pem"
    secret = ("--passphrase-file", tmp_path / "passphrase")
    made = teller.run("keygen", "--out", key, *secret)
    design = tmp_path / "design.json"
    design.write_bytes(small_specification().to_bytes())
    signed = teller.run("sign", tmp_path, "--key", key, *secret)
    for loaded in (made, signed):
        assert libraries(loaded) <= COMMAND
        assert not any(name.startswith("server.collection") for name in loaded.ours)
        assert "importlib.metadata" not in loaded.modules  # looks through all packages


def test_a_trustee_of_an_election(tmp_path: Path, teller: Teller) -> None:
    """Making the key, on a machine of her own."""
    loaded = teller.run(
        "trustees",
        "key",
        "1",
        tmp_path / "all",
        "--own",
        tmp_path / "own",
        "--trustee",
        "1",
        "--shares",
        "2-of-3",
    )
    assert libraries(loaded) <= COMMAND | {"shamir_mnemonic"}
    assert not any(name.startswith(("server.collection.web", "respondent_client")) for name in loaded.ours)


def test_whoever_masks_and_designs(tmp_path: Path, teller: Teller) -> None:
    """Reading by Arrow and drawing take no data frames, and most methods no optimizer."""
    write_csv(tmp_path / "town.csv")
    write_parquet(tmp_path / "town.parquet")
    masking = ("--quasi-identifiers", "age,height", "--k", "3", "--out", tmp_path / "masked.csv")
    masked = teller.run("anonymize", tmp_path / "town.csv", *masking)
    inspected = teller.run("inspect", tmp_path / "town.parquet")
    designed = teller.run("design", write_town(tmp_path / "town"), "--out", tmp_path / "design")
    for loaded in (masked, inspected, designed):
        assert not {"pandas", "sklearn", "flask"} & libraries(loaded)
    assert "scipy.optimize" not in masked.modules


def test_a_checkup_without_files(tmp_path: Path, teller: Teller) -> None:
    (tmp_path / "data").mkdir()
    assert libraries(teller.run("checkup", "--data", tmp_path / "data")) <= SERVER | CLIENT
