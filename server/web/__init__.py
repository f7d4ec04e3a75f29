"""The HTTP room: a Flask application over :mod:`server.storage`. The only room that imports Flask."""
