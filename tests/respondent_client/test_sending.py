from __future__ import annotations

import json
from dataclasses import replace

import pytest

from respondent_client.composing import Message, compose
from respondent_client.headless.respondent import run
from respondent_client.platform import Reply
from respondent_client.sending import Sender
from respondent_client.session import examine_survey, place
from shared import base64url
from shared.errors import RemoteError, StateError, SubmissionError
from tests.builders import ANSWERS
from tests.elections import relay_key
from tests.respondent_client.fakes import FakePlatform, link_to


@pytest.fixture
def platform() -> FakePlatform:
    return FakePlatform()


def message(platform: FakePlatform, health: str = "good") -> Message:
    link = link_to(platform.envelope)
    sound = run(examine_survey(platform, link)).sound()
    placement = place(sound, {"age": "43", "sex": "female"})
    return run(compose(platform, link, placement, {**ANSWERS, "health": health}))


def problem(status: int, code: str) -> Reply:
    return Reply(status=status, body=json.dumps({"status": status, "code": code, "title": "No"}).encode())


def test_the_receipt_is_that_of_the_bytes(platform: FakePlatform) -> None:
    sent = message(platform)
    receipt = run(Sender(platform).send(sent))
    assert receipt.digest == sent.receipt
    assert not receipt.earlier
    assert platform.stored == [sent.body]


def test_after_a_lost_answer_the_same_bytes_count_once(platform: FakePlatform) -> None:
    sent, sender = message(platform), Sender(platform)
    platform.lose = 1
    with pytest.raises(RemoteError) as caught:
        run(sender.send(sent))
    assert caught.value.code == "remote.unreachable"
    assert run(sender.send(sent)).digest == sent.receipt
    assert platform.stored == [sent.body]


def test_changed_answers_are_not_sent_if_the_first_message_had_arrived(platform: FakePlatform) -> None:
    first, second, sender = message(platform), message(platform, "poor"), Sender(platform)
    platform.lose = 1
    with pytest.raises(RemoteError):
        run(sender.send(first))
    receipt = run(sender.send(second))
    assert (receipt.digest, receipt.earlier) == (first.receipt, True)
    assert platform.stored == [first.body]


def test_changed_answers_are_sent_if_the_first_message_had_not_arrived(platform: FakePlatform) -> None:
    first, second, sender = message(platform), message(platform, "poor"), Sender(platform)
    platform.lose = 1
    with pytest.raises(RemoteError):
        run(sender.send(first))
    platform.stored.clear()
    assert run(sender.send(second)).digest == second.receipt
    assert platform.stored == [second.body]


def test_while_it_is_unknown_whether_the_first_arrived_nothing_else_is_sent(platform: FakePlatform) -> None:
    first, second, sender = message(platform), message(platform, "poor"), Sender(platform)
    platform.lose = 2
    for sent in (first, second):
        with pytest.raises(RemoteError):
            run(sender.send(sent))
    assert platform.stored == [first.body]


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (problem(409, "state"), StateError),
        (problem(422, "submission.answers"), SubmissionError),
        (problem(413, "request.too-large"), SubmissionError),
        (problem(503, "storage"), RemoteError),
        (Reply(status=502, body=b"<html>proxy</html>"), RemoteError),
        (Reply(status=201, body=b'{"receipt": "00"}'), RemoteError),
        (Reply(status=201, body=b"[]"), RemoteError),
    ],
)
def test_refusals_have_types(platform: FakePlatform, reply: Reply, error: type[Exception]) -> None:
    sent = message(platform)
    platform.refuse = reply
    with pytest.raises(error):
        run(Sender(platform).send(sent))


def test_a_refused_message_does_not_stand_in_the_way_of_the_next(platform: FakePlatform) -> None:
    first, second, sender = message(platform), message(platform, "poor"), Sender(platform)
    platform.refuse = problem(422, "submission.answers")
    with pytest.raises(SubmissionError):
        run(sender.send(first))
    platform.refuse = None
    asked = len(platform.requests)
    assert run(sender.send(second)).digest == second.receipt
    assert len(platform.requests) == asked + 1


class Relay(FakePlatform):
    """Takes envelopes, and answers in turn with what `replies` says; None is an answer that is lost."""

    def __init__(self, *replies: Reply | None) -> None:
        super().__init__()
        self.replies = list(replies)
        self.taken: list[bytes] = []

    def reply_to(self, path: str, body: bytes | None) -> Reply:
        if not path.endswith("/submissions") or body is None:
            return super().reply_to(path, body)
        self.taken.append(body)
        reply = self.replies.pop(0)
        if reply is None:
            raise RemoteError("lost", code="remote.unreachable")
        return reply


ACCEPTED = Reply(status=202, body=b'{"accepted": true}')


def relayed(platform: FakePlatform, health: str = "good") -> Message:
    return replace(message(platform, health), sealed=True, relayed=True)


def after_a_lost_answer(*replies: Reply | None) -> tuple[Relay, Sender, Message, Message]:
    """She sent a first message over the relay, heard nothing, and changed her answers."""
    platform = Relay(None, *replies)
    first, second, sender = relayed(platform), relayed(platform, "poor"), Sender(platform)
    with pytest.raises(RemoteError):
        run(sender.send(first))
    return platform, sender, first, second


def test_over_a_relay_the_first_message_goes_out_again_and_the_changed_one_does_not() -> None:
    platform, sender, first, second = after_a_lost_answer(ACCEPTED)
    receipt = run(sender.send(second))
    assert (receipt.digest, receipt.earlier, receipt.relayed) == (first.receipt, True, True)
    assert platform.taken == [first.body, first.body]


def test_the_changed_message_goes_out_if_the_relay_refuses_the_first() -> None:
    platform, sender, first, second = after_a_lost_answer(problem(422, "submission"), ACCEPTED)
    receipt = run(sender.send(second))
    assert (receipt.digest, receipt.earlier, receipt.relayed) == (second.receipt, False, True)
    assert platform.taken == [first.body, first.body, second.body]


@pytest.mark.parametrize("reply", [problem(503, "storage"), None])
def test_as_long_as_the_relay_does_not_answer_only_the_first_goes_out(reply: Reply | None) -> None:
    platform, sender, first, second = after_a_lost_answer(reply, ACCEPTED)
    with pytest.raises(RemoteError):
        run(sender.send(second))
    assert run(sender.send(second)).digest == first.receipt
    assert platform.taken == [first.body] * 3


def test_an_answer_of_the_relay_that_accepts_nothing_is_no_receipt() -> None:
    _platform, sender, _first, second = after_a_lost_answer(Reply(status=202, body=b"{}"))
    with pytest.raises(RemoteError) as caught:
        run(sender.send(second))
    assert caught.value.code == "remote.receipt"


def signing_relay(platform: FakePlatform) -> Message:
    return replace(relayed(platform), acceptance_key=relay_key().public_key)


def test_the_signature_of_a_relay_comes_with_the_receipt() -> None:
    platform = Relay()
    sent = signing_relay(platform)
    signature = relay_key().accept(sent.specification, sent.body)
    answer = json.dumps({"accepted": True, "acceptance": base64url.encode(signature)}).encode()
    platform.replies.append(Reply(status=202, body=answer))
    receipt = run(Sender(platform).send(sent))
    assert (receipt.relayed, receipt.acceptance, receipt.sealed) == (True, signature, sent.body)


@pytest.mark.parametrize("signed", [b"", bytes(64), b"another ballot"], ids=["nothing", "zeros", "another"])
def test_a_relay_that_signs_something_else_took_nothing(signed: bytes) -> None:
    platform = Relay()
    sent = signing_relay(platform)
    if signed == b"another ballot":
        signed = relay_key().accept(sent.specification, signed)
    answer = json.dumps({"accepted": True, "acceptance": base64url.encode(signed)}).encode()
    platform.replies.append(Reply(status=202, body=answer))
    with pytest.raises(RemoteError) as refused:
        run(Sender(platform).send(sent))
    assert refused.value.code == "remote.receipt"
