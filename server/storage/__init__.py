"""Where submissions are kept: one directory and one SQLite file per survey.

The only room that imports a database driver. What it keeps is listed in :mod:`server.storage.schema`.
"""
