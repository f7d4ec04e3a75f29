"""Inviting people: from a list to codes, letters and reminders. Names and codes never reach the server."""
