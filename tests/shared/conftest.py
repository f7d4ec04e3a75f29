"""Property tests: the same examples in every run, however slow the machine."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("roomful", deadline=None, derandomize=True)
settings.load_profile("roomful")
