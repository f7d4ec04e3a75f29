"""The worked example of docs/protocol.md: a survey so small that every byte can be read.

``python -m tests.docs.worked_example`` writes the generated blocks into docs/protocol.md again; a test
compares them with what the code gives.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared import submission
from shared.attributes import Numeric
from shared.cells import PowerDiagram
from shared.declarations import Algorithm, ModelReference, Organizer, Permissions, ReleaseRule
from shared.effective_anonymity import cell_failure, n_min, n_min_safe
from shared.envelope import PAYLOAD_TYPE, Envelope, pre_authentication_encoding
from shared.geometry import squared_distance
from shared.invitation import Invitation, survey_link
from shared.limits import MAX_MESSAGE_BYTES
from shared.model import ModelRow, ReadingRules, format_model, model_digest
from shared.participation import INDEPENDENT, ParticipationLevel, ParticipationSource
from shared.questionnaire import Questionnaire
from shared.recount import Recount, centroid
from shared.soundness import Examination, examine
from shared.specification import STORED, Specification
from shared.words import digest_words
from tests.docs.invited_example import invited_blocks

PROTOCOL = Path(__file__).resolve().parents[2] / "docs" / "protocol.md"
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
ENTROPY = bytes(i % 256 for i in range(MAX_MESSAGE_BYTES))
PERSON = {"age": "23"}
ANSWERS = {"content": True}
PUBLIC_URL = "https://survey.example/"
SHOWN_PADDING = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Everything that the page shows."""

    specification: Specification
    model: bytes
    envelope: Envelope
    examination: Examination
    vector: tuple[int, ...]
    cell: int
    message: bytes

    @property
    def digest(self) -> str:
        """Identity of the survey."""
        return self.examination.verified.digest if self.examination.verified else ""


def build() -> Example:
    """Design by hand, sign, examine, map and encode, all by the code of ``shared``."""
    age = Numeric(
        name="age",
        label={"en": "Age"},
        help={"en": ""},
        missing="refused",
        minimum="18",
        maximum="25",
        step="1",
    )
    level = ParticipationLevel(low="0.5", high="0.5")
    rows = [ModelRow(vector=(x,), level=0, people=4) for x in range(8)]
    model = format_model((age,), rows)
    cells = PowerDiagram(weights=(1,), resolution=2, sites=((3,), (11,)), offsets=(0, 0))
    sums = [[0], [0]]
    counts = [0, 0]
    for row in rows:
        cell = cells.assign(row.vector)
        counts[cell] += row.people
        sums[cell][0] += row.people * row.vector[0]
    questions = {
        "pages": [{"elements": [{"type": "boolean", "name": "content", "title": "Are you content?"}]}]
    }
    specification = Specification(
        languages=("en",),
        title={"en": "Contentment"},
        description={"en": ""},
        organizer=Organizer(name="Institute", contact="survey@example.org"),
        attributes=(age,),
        levels=(level,),
        dependence=INDEPENDENT,
        participation_source=ParticipationSource(kind="even"),
        k=3,
        acceptable_cell_failure="0.01",
        n_min=(n_min(3, level, "0.01"),),
        n_min_safe=(n_min_safe(3, level, "0.01"),),
        model=ModelReference(
            kind="public",
            digest=model_digest(model),
            people=sum(counts),
            reading=ReadingRules(
                count_column=None,
                missing_markers=(),
                incomplete="refuse",
                required_columns=(),
                id_column=None,
            ),
        ),
        algorithm=Algorithm(name="by-hand", parameters={}),
        cells=cells,
        eligible=tuple((count,) for count in counts),
        centroids=tuple(centroid(s, c) for s, c in zip(sums, counts, strict=True)),
        questionnaire=Questionnaire.parse(questions, ("en",)),
        message_bytes=submission.longest_message(Questionnaire.parse(questions, ("en",))),
        stored=STORED["open"],
        retention_days=30,
        release=ReleaseRule(rule="merge", minimum=3, distinct_values=1, t_closeness=None),
        row=(0, 1),
        permissions=Permissions(free_text=False, balls_from_register=False),
        invited=None,
    )
    payload = specification.to_bytes()
    public = KEY.public_key().public_bytes_raw()
    signature = KEY.sign(pre_authentication_encoding(PAYLOAD_TYPE, payload))
    envelope = Envelope(payload=payload, signatures=((public, signature),))
    digest = envelope.verified([True], public).digest
    examination = examine(envelope, [True], Invitation(digest=digest, organizer_key=public))
    examination = Recount(examination, model).finish()
    sound = examination.sound()
    vector = sound.specification.vector(PERSON)
    cell = sound.specification.cells.assign(vector)
    answers = sound.specification.questionnaire.accept(ANSWERS)
    message = submission.encode(sound.digest, cell, answers, ENTROPY, specification.message_bytes)
    return Example(
        specification=specification,
        model=model,
        envelope=envelope,
        examination=examination,
        vector=vector,
        cell=cell,
        message=message,
    )


def blocks() -> dict[str, str]:
    """Text of each generated block, by name."""
    example = build()
    specification, payload = example.specification, example.envelope.payload
    public, signature = example.envelope.signatures[0]
    message = example.message.decode()
    head, _, padding = message.partition('"padding":"')
    metrics = cell_failure((16,), ("0.5",), 3)
    distances = [squared_distance(example.vector, site, specification.weights, 2) for site in ((3,), (11,))]
    pae = pre_authentication_encoding(PAYLOAD_TYPE, payload)
    return {
        "model": example.model.decode().rstrip("\n"),
        "model-digest": model_digest(example.model),
        "payload": _one_member_a_line(json.loads(payload)),
        "identity": "\n".join(
            (
                f"payload    {len(payload)} bytes",
                f"digest     {example.digest}",
                f"survey id  {example.digest[:16]}",
                f"words      {digest_words(example.digest)}",
            )
        ),
        "pae": f"{pae[: pae.index(payload)].decode()}{payload[:41].decode()}...  ({len(pae)} bytes)",
        "signature": "\n".join(
            (
                f"public key  {public.hex()}",
                f"signature   {signature.hex()[:64]}",
                f"            {signature.hex()[64:]}",
            )
        ),
        "envelope": _shortened(example.envelope.to_bytes().decode()),
        "link": survey_link(PUBLIC_URL, example.digest, public),
        "checks": "\n".join(
            f"{line.number:>2} {line.code:<20} {line.outcome:<8} "
            + ", ".join(f"{k} {v if len(v) < 50 else v[:16] + '...'}" for k, v in line.figures.items())
            for line in example.examination.lines
        ).replace(" \n", "\n"),
        "failure": "\n".join(
            (
                f"qbar  = {metrics.attained_cell_failure.normalize()}",
                f"u     = {metrics.expected_unprotected_records:.6f}",
                f"rbar  = {metrics.record_failure.normalize()}",
                f"rbar' = {metrics.record_failure_given_participation.normalize()}",
            )
        ),
        "mapping": f"vector {list(example.vector)}, distances {distances}, cell {example.cell}",
        "message": f'{head}"padding":"{padding[:SHOWN_PADDING]}...  ({len(example.message)} bytes, '
        f"{len(padding) - 2} characters of padding)",
        "receipt": submission.receipt(example.message),
        **invited_blocks(),
    }


def _one_member_a_line(value: dict[str, object]) -> str:
    """The payload with a line break after each member."""
    members = (f"{json.dumps(k)}:{json.dumps(v, separators=(',', ':'))}" for k, v in value.items())
    return "{" + ",\n ".join(members) + "}"


def _shortened(envelope: str) -> str:
    """The envelope with the middle of its long base64 texts left out."""
    return re.sub(r'"([A-Za-z0-9+/=]{80,})"', lambda m: f'"{m[1][:32]}...{m[1][-12:]}"', envelope)


MARKED = re.compile(r"<!-- generated: ([a-z-]+) -->\n```[a-z]*\n(.*?)```\n", re.DOTALL)


def rewrite(text: str) -> str:
    """A page with every generated block as the code gives it now."""
    made = blocks()

    def replaced(match: re.Match[str]) -> str:
        whole: str = match[0]
        start = match.start(2) - match.start()
        return f"{whole[:start]}{made[match[1]]}\n```\n"

    return MARKED.sub(replaced, text)


if __name__ == "__main__":
    PROTOCOL.write_text(rewrite(PROTOCOL.read_text("utf-8")), "utf-8")
    sys.stdout.write("docs/protocol.md is up to date\n")
