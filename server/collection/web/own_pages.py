"""The pages that a server or relay has of its own, from the templates of this folder."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from flask import Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from server.collection.config import Config
from server.collection.web.problems import Problem
from server.collection.web.static_files import own_style

HTML: Final = "text/html; charset=utf-8"
_STYLE: Final = Path(__file__).parent / "style" / "pages.css"
_TEMPLATES: Final = Environment(
    loader=PackageLoader("server.collection.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


class OwnPages:
    """Templates with what all of them show.

    Attributes
    ----------
    style_name, style : str, StaticFile
        The style sheet, and its name under ``static/``.

    Parameters
    ----------
    config : Config
        For the operator's name, and the path of the installation.
    """

    def __init__(self, config: Config) -> None:
        self.style_name, self.style = own_style(_STYLE)
        self._common = {
            "language": "en",
            "direction": "ltr",
            "base": config.base,
            "style": f"{config.base}static/{self.style_name}",
            "operator": config.operator,
        }

    def render(self, name: str, **values: object) -> Response:
        """A page; values of the names in common go before those."""
        return Response(_TEMPLATES.get_template(name).render(self._common | values), content_type=HTML)

    def problem(self, problem: Problem) -> Response:
        """An error as a page."""
        response = self.render("problem.html.j2", title=problem.title, problem=problem)
        response.status_code = problem.status
        return response
