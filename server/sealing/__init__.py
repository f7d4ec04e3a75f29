"""HPKE on the server: suites and keys, for the collector's layer and for the trustees'."""
