"""One way to write a constant (``NAME: Final = value``, its meaning as a string below) and a dataclass."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("shared", "server", "respondent_client")
_CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]+")


def sources() -> list[Path]:
    found = (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))
    return [path for path in found if "node_modules" not in path.parts]


def not_final(text: str) -> list[str]:
    """Constants of a module that a type checker would let somebody assign again."""
    found = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name, final = node.targets[0].id, False
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name, final = node.target.id, ast.unparse(node.annotation).startswith(("Final", "TypeAlias"))
        else:
            continue
        if _CONSTANT.fullmatch(name) and not final:
            found.append(f"line {node.lineno}: {name}")
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_constants_are_final_and_explained_below(package: str) -> None:
    wrong = []
    for path in sources():
        if path.relative_to(ROOT).parts[0] != package:
            continue
        text = path.read_text("utf-8")
        above = [f"line {i}: #:" for i, line in enumerate(text.splitlines(), 1) if line.startswith("#:")]
        wrong += [f"{path.relative_to(ROOT)}, {where}" for where in (*not_final(text), *above)]
    assert wrong == [], "write NAME: Final = value, and what it means as a string on the line below"


def fields_as_parameters(text: str) -> list[str]:
    """Dataclasses whose fields are described as parameters: they can be read, so they are attributes."""
    return [
        f"line {node.lineno}: {node.name}"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef)
        and any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)
        and "Parameters\n----------" in (ast.get_docstring(node) or "")
    ]


def test_fields_of_dataclasses_are_attributes() -> None:
    found = {str(path.relative_to(ROOT)): fields_as_parameters(path.read_text("utf-8")) for path in sources()}
    assert {name: classes for name, classes in found.items() if classes} == {}, 'write "Attributes" over them'


def test_the_rule_sees_what_it_forbids() -> None:
    assert not_final("LIMIT = 3\n_OTHER: int = 4\nGOOD: Final = 5\nBEST: Final[int] = 6\nname = 7\n") == [
        "line 1: LIMIT",
        "line 2: _OTHER",
    ]
    head, tail = "@dataclass\nclass A:\n", '\n    ----------\n    x : int\n    """\n    x: int\n'
    shown = f'{head}    """A.\n\n    Parameters{tail}'
    assert fields_as_parameters(shown) == ["line 2: A"]
    assert fields_as_parameters(shown.replace("Parameters", "Attributes")) == []


_POINTER = re.compile(r"See (:\w+:)?`[^`]*`\.?")


def bare_pointers(text: str) -> list[str]:
    """Methods of subclasses whose docstring only points at their base; without it they inherit the base's."""
    return [
        f"line {method.lineno}: {node.name}.{method.name}"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef) and node.bases
        for method in node.body
        if isinstance(method, ast.FunctionDef) and _POINTER.fullmatch(ast.get_docstring(method) or "")
    ]


def test_overriding_methods_say_something_or_nothing() -> None:
    found = {str(path.relative_to(ROOT)): bare_pointers(path.read_text("utf-8")) for path in sources()}
    assert {name: methods for name, methods in found.items() if methods} == {}, "leave this docstring out"
    shown = 'class A(B):\n    def f(self):\n        """See :meth:`B.f`."""\n        return 1\n'
    assert bare_pointers(shown) == ["line 2: A.f"]
    assert bare_pointers(shown.replace("`.", "`: never 0.")) == []
