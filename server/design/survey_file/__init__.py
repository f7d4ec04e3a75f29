"""survey.toml."""
