"""The roundest integer of an interval; plain Python, which the auction compiles."""

from __future__ import annotations


def roundest(low: int, high: int) -> int:
    """The integer in low..high (low <= high) divisible by the largest power of two.

    A threshold lies between the values of two people; the roundest number there tells least about either.
    """
    if low <= 0 <= high:
        return 0
    least, most = (low, high) if low > 0 else (-high, -low)
    different, shift = (least - 1) ^ most, 0
    while different >> (shift + 1):
        shift += 1
    rounded = most >> shift << shift
    return rounded if low > 0 else -rounded
