from __future__ import annotations

import pytest

from respondent_client.link import Link
from shared.errors import VerificationError
from tests.respondent_client.fakes import KEY

DIGEST = "ab" * 32
ID = DIGEST[:16]


def test_a_link_names_the_installation_the_survey_and_what_is_pinned() -> None:
    link = Link.parse(f"https://example.org/sub/path/s/{ID}#{DIGEST}.{KEY}")
    assert link.base == "https://example.org/sub/path/"
    assert link.api("model") == f"https://example.org/sub/path/api/v1/surveys/{ID}/model"
    assert link.invitation.digest == DIGEST
    assert link.invitation.organizer_key is not None


@pytest.mark.parametrize("port", ["", ":8000"])
def test_a_link_without_fragment_pins_nothing(port: str) -> None:
    link = Link.parse(f"http://localhost{port}/s/{ID}")
    assert link.base == f"http://localhost{port}/"
    assert link.invitation.digest is None
    assert link.invitation.organizer_key is None


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        f"ftp://example.org/s/{ID}",
        "https://example.org/s/",
        f"https://example.org/s/{ID.upper()}",
        f"https://example.org/x/{ID}",
        f"https://example.org/s/{ID}#{DIGEST[:-1]}",
        f"https://example.org/s/{ID}#{DIGEST}.short",
        f"https://example.org/s/{ID}/../../admin",
        f"https://[example.org/s/{ID}",
        f"https://example.org:99999/s/{ID}",
        f"https://:80/s/{ID}",
    ],
)
def test_a_damaged_link_is_refused(url: str) -> None:
    with pytest.raises(VerificationError) as caught:
        Link.parse(url)
    assert caught.value.code == "verification.invitation"
