"""The look of reports: page, charts, numbers."""
