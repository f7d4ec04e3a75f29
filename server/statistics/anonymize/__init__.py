"""Anonymizing a file: read, microaggregate, measure, write, report."""
