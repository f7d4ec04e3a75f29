"""Numerical kernels that divide a population into cells: numpy in, numpy out; no files, no clock."""
