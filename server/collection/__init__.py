"""What runs while people answer: storage, web, tokens, relay, and the files of the board."""
