"""Verifying all that can be verified of ballots without a share of their key.

Trustees do it before they sign and open anything; of an election anybody does, in a terminal or a browser.
"""
