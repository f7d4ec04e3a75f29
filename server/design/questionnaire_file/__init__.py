"""Questionnaires as people have them: read, checked with every refusal at once, and imported."""
