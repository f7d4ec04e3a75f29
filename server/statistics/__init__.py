"""Microaggregation, its measures, masking of files, and the figures of the papers."""
