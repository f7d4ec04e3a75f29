"""The protocol core of Roomful: pure functions and frozen values, standard library only.

The same bytes run in CPython (server, headless client) and in Pyodide (the respondent's browser). Nothing
here does I/O, reads a clock or draws randomness: bytes, times and entropy come in as arguments.
"""
