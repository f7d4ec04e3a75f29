"""The public board: made by the organizer after closing and after the release, verified by anybody."""
