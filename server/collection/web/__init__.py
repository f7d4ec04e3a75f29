"""A Flask application over :mod:`server.collection.storage`. The only room that imports Flask."""
