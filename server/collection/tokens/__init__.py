"""The registrar's key, and the blind signatures it gives out with it."""
