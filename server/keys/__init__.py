"""Keys: signing, sealing, tokens; private files and public ones."""
