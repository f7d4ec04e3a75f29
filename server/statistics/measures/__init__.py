"""Measures of what masking costs and what it still discloses. Every name says which direction is unsafe."""
