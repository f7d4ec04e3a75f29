"""Elections by group: encrypted votes whose sums alone are decrypted (docs/election.md).

Pure functions over bytes and integers; points are reached through one seam,
:class:`shared.election.group.Group`.
"""
