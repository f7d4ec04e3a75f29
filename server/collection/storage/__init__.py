"""Where submissions are kept: one directory and one SQLite file per survey.

The only room that imports a database driver. What it keeps:
:mod:`server.collection.storage.schema`.
"""
