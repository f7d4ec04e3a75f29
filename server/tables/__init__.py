"""From a data file of any program to columns of text."""
