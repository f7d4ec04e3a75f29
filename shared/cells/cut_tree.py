"""A tree of cuts, each along one coordinate: which district a vector belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from shared.errors import SpecificationError
from shared.fields import Fields
from shared.geometry import Ranges
from shared.limits import EXACT_BOUND, MAX_CUT_DEPTH, MAX_DISTRICTS


@dataclass(frozen=True, slots=True, kw_only=True)
class CutTree:
    """A k-d tree without points.

    Attributes
    ----------
    nodes : tuple of (int, int) or None
        In preorder: a cut (coordinate, value), then all that lies below it (x <= value), then all above;
        None is a leaf. Leaves are numbered in this order.

    Raises
    ------
    SpecificationError
        If the nodes are no tree of two leaves or more, or a leaf lies under more than
        :data:`shared.limits.MAX_CUT_DEPTH` cuts.

    References
    ----------
    J. L. Bentley, Multidimensional binary search trees used for associative searching, Communications of the
    ACM 18(9), 1975.
    """

    nodes: tuple[tuple[int, int] | None, ...]
    _next: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """Of a cut the place of the node above it, of a leaf its number."""

    def __post_init__(self) -> None:
        following = [0] * len(self.nodes)
        depth, waiting, leaves = [0] * (len(self.nodes) + 1), [-1], 0
        for place, node in enumerate(self.nodes):
            if not waiting or depth[place] > MAX_CUT_DEPTH:
                break
            if node is not None:
                waiting.append(place)
                depth[place + 1] = depth[place] + 1
                continue
            following[place], leaves = leaves, leaves + 1
            cut = waiting.pop()
            if cut >= 0:
                following[cut], depth[place + 1] = place + 1, depth[cut] + 1
        else:
            if not waiting and leaves > 1:
                object.__setattr__(self, "_next", tuple(following))
                return
        raise SpecificationError(
            "the cuts make no tree, or too deep a one",
            where="cells.tree",
            expected=f"a cut, all below it, all above it; two leaves or more, at most {MAX_CUT_DEPTH} deep",
        )

    @property
    def leaves(self) -> int:
        """Number of leaves."""
        return self.nodes.count(None)

    def leaf_of(self, x: Sequence[int]) -> int:
        """Number of the leaf of a vector: one for every integer vector. O(depth)."""
        place = 0
        while (cut := self.nodes[place]) is not None:
            coordinate, value = cut
            place = place + 1 if x[coordinate] <= value else self._next[place]
        return self._next[place]

    def boxes(self, ranges: Ranges) -> tuple[Ranges, ...]:
        """The part of the domain that each leaf has, as inclusive ranges.

        Raises
        ------
        SpecificationError
            If a cut leaves nothing of the domain on one of its sides.
        """
        waiting, found = [ranges], []
        for place, node in enumerate(self.nodes):
            box = waiting.pop()
            if node is None:
                found.append(box)
                continue
            coordinate, value = node
            low, high = box[coordinate]
            if not low <= value < high:
                raise SpecificationError(
                    "nobody can be on one side of a cut",
                    where=f"cells.tree[{place}]",
                    expected=f"a value from {low} to {high - 1}",
                )
            for bounds in ((value + 1, high), (low, value)):
                waiting.append((*box[:coordinate], bounds, *box[coordinate + 1 :]))
        return tuple(found)

    @classmethod
    def parse(cls, fields: Fields, name: str, ranges: Ranges) -> CutTree:
        """Read the cuts of a specification.

        Raises
        ------
        SpecificationError
            If they are no tree, or one of which some leaf is out of reach.
        """
        nodes: list[tuple[int, int] | None] = []
        for i, item in enumerate(fields.items(name, 2 * MAX_DISTRICTS - 1, minimum=3)):
            place = f"{name}[{i}]"
            cut = fields.integers_in(place, item, -EXACT_BOUND, EXACT_BOUND)
            if cut and not (len(cut) == 2 and 0 <= cut[0] < len(ranges)):
                raise fields.fail(
                    place, "a cut has the wrong form", f"[coordinate below {len(ranges)}, value], or []"
                )
            nodes.append((cut[0], cut[1]) if cut else None)
        tree = cls(nodes=tuple(nodes))
        tree.boxes(ranges)
        return tree

    def to_object(self) -> list[Any]:
        """As it stands in a specification."""
        return [[] if node is None else list(node) for node in self.nodes]
