"""Who is not the organizer at her own browser reaches nothing: foreign pages, other users, other folders."""

from __future__ import annotations

import http.client
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.desk.gate import MAX_FORM_BYTES, MAX_UPLOAD_BYTES, Gate, Request
from server.desk.inside import inside, upload_name
from shared.errors import InputError
from tests.server.desk.visitor import visit
from tests.waiting import PATIENCE_SECONDS, until

GATE = Gate(port=4711, secret="s" * 43)
OWN = f"http://{GATE.host}"


def request(method: str = "POST", path: str = f"/{GATE.secret}/close", **more: object) -> Request:
    fields: dict[str, object] = {"host": GATE.host, "origin": OWN, "fetch_site": "same-origin", "length": 10}
    return Request(method=method, path=path, **(fields | more))  # type: ignore[arg-type]


def test_the_organizer_is_let_in() -> None:
    assert GATE.judge(request()) is None
    assert GATE.judge(request("GET", f"/{GATE.secret}/", origin="", length=None)) is None


@pytest.mark.parametrize(
    "host", ["evil.example:4711", "localhost:4711", "127.0.0.1", "127.0.0.1:80", "", "[::1]:4711"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_rebound_name_is_refused(host: str, method: str) -> None:
    refusal = GATE.judge(request(method, host=host))
    assert refusal is not None
    assert refusal.status == 403


@pytest.mark.parametrize(
    "path", ["/", "", "//", "/population", f"/{'t' * 43}/", f"/{GATE.secret[:-1]}/", f"/x/{GATE.secret}/"]
)
def test_without_the_secret_every_path_and_method_says_the_same(path: str) -> None:
    answers = {repr(GATE.judge(request(method, path))) for method in ("GET", "POST", "DELETE")}
    assert len(answers) == 1
    assert "403" in answers.pop()


@pytest.mark.parametrize(
    "origin", ["", "null", "https://evil.example", "http://127.0.0.1:8000", "http://localhost:4711"]
)
def test_a_form_of_another_page_is_refused(origin: str) -> None:
    refusal = GATE.judge(request(origin=origin))
    assert refusal is not None
    assert refusal.status == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_a_browser_that_says_where_it_comes_from_is_believed(site: str) -> None:
    assert GATE.judge(request(fetch_site=site)) is not None


def test_bodies_are_bounded() -> None:
    upload = f"/{GATE.secret}/population/upload"
    assert GATE.judge(request(path=upload, length=MAX_UPLOAD_BYTES)) is None
    assert GATE.judge(request(path=upload, length=200 * 2**20)) is not None
    assert GATE.judge(request(length=MAX_FORM_BYTES + 1)) is not None
    assert GATE.judge(request(length=None)) is not None


def test_the_secret_is_new_long_and_never_shown() -> None:
    first, second = Gate.new(1), Gate.new(1)
    assert first.secret != second.secret
    assert len(first.secret) >= 43
    assert first.secret not in repr(first)


@pytest.mark.parametrize(
    "name", ["../x.csv", "/etc/passwd", "a/../../x", ".hidden", "a/.git/config", "", "a\0.csv", "out/x.csv"]
)
def test_a_path_outside_of_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "out").symlink_to(tmp_path)
    with pytest.raises(InputError) as error:
        inside(folder, name)
    assert error.value.code == "input.outside-folder"


@pytest.mark.parametrize(
    "name", ["x.exe", "survey.toml", "key.pem", ".csv", "a\0.csv", "x" * 300 + ".csv", ".x.csv"]
)
def test_an_upload_with_a_harmful_name_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        upload_name(name)


def test_an_upload_keeps_no_folder_of_its_name() -> None:
    assert upload_name("../../people.csv") == upload_name("C:\\data\\people.csv") == "people.csv"


def test_an_attribute_takes_no_table_from_outside_of_the_folder(tmp_path: Path) -> None:
    form = {"name": "place", "action": "save", "kind": "lookup", "table": "../places.csv"}
    with visit(tmp_path / "folder") as visitor:
        survey = visitor.folder / "survey.toml"
        survey.write_text('[[attributes]]\nname = "place"\nkind = "lookup"\n')
        page = visitor.told("/population/attribute", {**form, "page": "population"}, "/population")
        assert "no file of the survey" in page
        assert "places.csv" not in survey.read_text()


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int, Path]]:
    """A real desk: its secret, its port, its folder."""
    folder = tmp_path_factory.mktemp("desk")
    address = folder / "address"
    program = [sys.executable, "-c", "from server.cli.main import main; main()"]
    running = subprocess.Popen(
        [*program, "desk", str(folder / "survey"), "--address-file", str(address)], stdout=subprocess.DEVNULL
    )
    try:
        until(lambda: address.is_file() and address.read_text().endswith("\n"))
        _, _, host, secret, _ = address.read_text().strip().split("/")
        yield secret, int(host.rpartition(":")[2]), folder
    finally:
        running.terminate()
        assert running.wait(PATIENCE_SECONDS) == 0


def ask(port: int, method: str, path: str, **headers: str) -> tuple[int, bytes, dict[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    found = answer.status, answer.read(), dict(answer.headers)
    connection.close()
    return found


def test_a_second_user_of_the_machine_is_refused(process: tuple[str, int, Path]) -> None:
    secret, port, folder = process
    status, body, headers = ask(port, "GET", "/")
    assert status == 403
    assert secret.encode() not in body
    assert "Set-Cookie" not in headers
    assert stat.S_IMODE((folder / "address").stat().st_mode) == 0o600
    assert ask(port, "GET", f"/{secret}/")[0] == 200


def test_it_listens_on_the_loopback_address_only(process: tuple[str, int, Path]) -> None:
    _, port, _ = process
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    listening = [line.split()[1] for line in lines if line.split()[3] == "0A"]
    assert [address for address in listening if address.endswith(f":{port:04X}")] == [f"0100007F:{port:04X}"]


def test_an_upload_of_200_megabytes_is_refused_before_it_is_read(process: tuple[str, int, Path]) -> None:
    secret, port, folder = process
    own = {"Host": f"127.0.0.1:{port}", "Origin": f"http://127.0.0.1:{port}"}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    connection.putrequest("POST", f"/{secret}/population/upload", skip_host=True)
    for name, value in {**own, "Content-Length": str(200 * 2**20)}.items():
        connection.putheader(name, value)
    connection.endheaders()  # and not a byte of the body
    assert connection.getresponse().status == 413
    connection.close()
    assert list((folder / "survey").iterdir()) == []


def test_pages_may_load_and_send_nowhere_else(process: tuple[str, int, Path]) -> None:
    secret, port, _ = process
    _, body, headers = ask(port, "GET", f"/{secret}/")
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "form-action 'self'" in policy
    assert "unsafe" not in policy
    assert b"<script>" not in body
    assert b" style=" not in body
    assert b"https://" not in body
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cache-Control"] == "no-store"


def test_the_arguments_of_programs_do_not_hold_the_secret(process: tuple[str, int, Path]) -> None:
    secret, _, _ = process
    if not Path("/proc/self/cmdline").exists():
        pytest.skip("only where /proc shows arguments")
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        assert secret.encode() not in arguments
