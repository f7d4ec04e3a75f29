"""Machine code for the library's inner loops, by numba; imported only when an algorithm first needs it."""
