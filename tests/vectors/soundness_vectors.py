"""Named specifications for the eleven soundness checks: sound ones, and one defect each.

A vector's check is the one that must refuse it; its name says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.vectors.soundness_checks import anonymity, form, model, origin, questions, register, sound
from tests.vectors.surveys import SoundnessVector


def soundness_vectors() -> Iterator[SoundnessVector]:
    """All of them, in the order of the checks."""
    yield from sound.sound_vectors()
    yield from origin.signature()
    yield from origin.digest()
    yield from form.form()
    yield from form.distance()
    yield from anonymity.floor()
    yield from anonymity.n_min()
    yield from anonymity.cell_failure()
    yield from register.model_shape()
    yield from register.districts()
    yield from register.off_the_grid()
    yield from questions.questions()
    yield from model.model_recount()
    yield from form.length()
