"""A small survey whose parts tests replace one by one."""

from __future__ import annotations

SURVEY = """\
title = "Town"
[organizer]
name = "Office"
contact = "office@example.org"
[model]
file = "town.csv"
kind = "public"
[[attributes]]
name = "age"
kind = "numeric"
minimum = 0
maximum = 90
open_above = true
[[attributes]]
name = "sex"
kind = "nominal"
categories = ["f", "m"]
[participation]
rate = 0.5
[anonymity]
k = 3
acceptable_cell_failure = 1e-6
[questionnaire]
file = "questions.json"
"""

QUESTIONS = {
    "pages": [
        {"elements": [{"type": "radiogroup", "name": "mood", "title": "Mood?", "choices": ["good", "bad"]}]}
    ]
}

Replacements = tuple[tuple[str, str], ...]
