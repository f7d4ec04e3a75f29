"""The trustees' room: shares of the opening key, rehearsal, export, and the opening that refuses."""
