"""Publishing a signed survey: from files, from another machine with a code, and taking a draft back."""
