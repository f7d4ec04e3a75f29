"""The relay between respondents and collector: a threshold pool that can read nothing of what it mixes."""
