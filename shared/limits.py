"""Every bound of the protocol, in one place.

A document beyond one of these is refused by name before any work is spent on it.
"""

from __future__ import annotations

from typing import Final

EXACT_BOUND: Final = 2**53
"""Integers below it are exact in Python, numpy int64, float64 and JavaScript alike."""

MAX_SPECIFICATION_BYTES: Final = 8 * 1024 * 1024
MAX_ENVELOPE_BYTES: Final = 12 * 1024 * 1024
MAX_MODEL_BYTES: Final = 64 * 1024 * 1024
MAX_SIGNATURES: Final = 16
MAX_CELLS: Final = 20_000
"""Of a survey, or of each of its districts."""
MAX_DISTRICTS: Final = 1_000
MAX_CUT_DEPTH: Final = 64
MAX_ALL_CELLS: Final = 1_000_000
"""Of all districts together."""
MAX_ATTRIBUTES: Final = 32
MAX_COORDINATES: Final = 256
MAX_CATEGORIES: Final = 50_000
MAX_REGIONS: Final = 1_000
MIN_CYCLE: Final = 3
MAX_CYCLE: Final = 366
"""Steps of a cyclic attribute: up to the days of a year."""
MAX_LEVELS: Final = 20
CORRELATION_DIGITS: Final = 6
HOUSEHOLD_SIZES: Final = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20)
"""Published sizes of the largest household: coarse, so that none is described."""
MAX_LANGUAGES: Final = 40
MAX_RESOLUTION: Final = 4096
MAX_NAME_CHARACTERS: Final = 64
MAX_TEXT_CHARACTERS: Final = 10_000
MAX_QUESTIONS: Final = 500
MAX_CHOICES: Final = 1_000
MIN_CONTEST_CHOICES: Final = 2
MAX_CONTEST_CHOICES: Final = 50
"""Of a contest of an election, a blank vote included."""
MAX_COMMENT_CHARACTERS: Final = 2_000
MAX_ROWS: Final = 100
"""Rows of a matrix, each of which is a question."""
MAX_CONDITION_CHARACTERS: Final = 2_000
MAX_CONDITION_TERMS: Final = 64
MAX_CONDITION_DEPTH: Final = 8
"""Of one condition of a question: its length, its comparisons, its parentheses within each other."""
MAX_PICTURE_BYTES: Final = 256 * 1024
MAX_PICTURES_BYTES: Final = 1024 * 1024
"""Of one picture of a questionnaire, and of all."""
MAX_LOGO_BYTES: Final = 32 * 1024
"""It stands on the first page, which has to be there at once."""
MAX_K: Final = 1_000
MAX_PEOPLE: Final = 10**10
MAX_INTEGER_DIGITS: Final = 19
MAX_JSON_DEPTH: Final = 32

MAX_MESSAGE_BYTES: Final = 65_536
"""The longest message that a questionnaire may need; every message of a survey is padded to its longest."""

MIN_ENTROPY_BYTES: Final = 16
"""Random bytes in the padding of a submission."""

MAX_FAILURE_WORK: Final = 10**8
"""Of check 7, by :func:`shared.checks.failure_work`: distinct rows of head counts x levels x k^2, or more for
people who decide together; beyond it the check would keep a device busy for minutes."""
MAX_BOXES_TO_COMPARE: Final = 1_000
"""Boxes of a register, whose tiling is compared pair by pair."""
MAX_TILING_WORK: Final = 5 * 10**7
"""Pairs of boxes x coordinates, and entries of tables looked at, in check 8."""
MAX_RECOUNT_WORK: Final = 2 * 10**8
"""Rows of a public model x (points compared x coordinates + 200 x attributes), in check 10."""

TOKEN_KEY_BYTES: Final = 384
"""Length of a token's RSA modulus and signature: 3072 bits."""
MAX_TOKEN_KEYS: Final = 1_000
"""Boxes of an election, each of which has a key of its own."""
MAX_TRUSTEES: Final = 16
MAX_SPARE_KEYS: Final = 2
MAX_POOL_MESSAGES: Final = 100_000
MAX_POOL_SECONDS: Final = 7 * 24 * 3600

MAX_RECEIPTS: Final = 1_000_000
"""Entries of a public board; its list of receipts then has 65 MB."""
MAX_BOARD_BYTES: Final = 4 * 1024 * 1024
MAX_CHECKPOINT_BYTES: Final = 16_384
