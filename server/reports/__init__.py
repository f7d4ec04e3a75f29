"""The look of reports: page, pictures, numbers."""
