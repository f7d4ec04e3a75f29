"""The pictures of docs/relay.md, from the formulas: ``python -m benchmarks.relay_pictures docs/pictures``.

Plain SVG, written here, so that the same formulas give the same bytes with every version of every library;
a test compares.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.threshold_pool import Pool

MINUTE: Final = 60.0
HOUR: Final = 3600.0
_WIDTH, _HEIGHT = 640, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 64, 56
#: Distinguishable without colour by the dashes, and with most kinds of colour vision.
_STROKES: Final = (("#0b4f9e", ""), ("#b3541e", "9 4"), ("#2e7d4f", "2 4"), ("#6a3d9a", "9 4 2 4"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One axis: its words, its ends and the values that are written at it."""

    label: str
    low: float
    high: float
    ticks: tuple[float, ...]
    logarithmic: bool = False

    def part(self, value: float) -> float:
        """Where a value lies, from 0 at the lower end to 1 at the upper."""
        low, high, at = self.low, self.high, min(max(value, self.low), self.high)
        if self.logarithmic:
            low, high, at = math.log(low), math.log(high), math.log(at)
        return (at - low) / (high - low)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Curves over two axes."""

    title: str
    x: Axis
    y: Axis
    curves: tuple[tuple[str, tuple[tuple[float, float], ...]], ...]

    def svg(self) -> str:
        """The picture."""
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
            'font-family="DejaVu Sans, Verdana, sans-serif" font-size="13" fill="#1b1f24">',
            f"<title>{self.title}</title>",
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
            f'<text x="{_LEFT}" y="22" font-weight="bold" font-size="14">{self.title}</text>',
            *self._grid(),
        ]
        for number, (name, points) in enumerate(self.curves):
            colour, dashes = _STROKES[number]
            path = " ".join(f"{self._x(x):.1f},{self._y(y):.1f}" for x, y in points)
            stroke = f'fill="none" stroke="{colour}" stroke-width="2.2" stroke-dasharray="{dashes}"'
            at = _LEFT + number * (_WIDTH - _LEFT - _RIGHT) / len(self.curves)
            parts += [
                f'<polyline points="{path}" {stroke}/>',
                f'<path d="M{at:.1f} 42h26" {stroke}/>',
                f'<text x="{at + 32:.1f}" y="46" font-size="12">{name}</text>',
            ]
        return "\n".join([*parts, "</svg>", ""])

    def _x(self, value: float) -> float:
        return _LEFT + self.x.part(value) * (_WIDTH - _LEFT - _RIGHT)

    def _y(self, value: float) -> float:
        return _HEIGHT - _BOTTOM - self.y.part(value) * (_HEIGHT - _TOP - _BOTTOM)

    def _grid(self) -> list[str]:
        bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
        middle = (_TOP + bottom) / 2
        parts = []
        for value in self.x.ticks:
            x = self._x(value)
            parts.append(f'<path d="M{x:.1f} {_TOP}V{bottom}" stroke="#d5dae0"/>')
            parts.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{value:g}</text>')
        for value in self.y.ticks:
            y = self._y(value)
            parts.append(f'<path d="M{_LEFT} {y:.1f}H{right}" stroke="#d5dae0"/>')
            parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
        parts.append(
            f'<text x="{(_LEFT + right) / 2}" y="{_HEIGHT - 14}" text-anchor="middle">{self.x.label}</text>'
        )
        parts.append(
            f'<text transform="translate(16 {middle}) rotate(-90)" text-anchor="middle">{self.y.label}</text>'
        )
        return parts


def logarithmic(low: float, high: float, number: int = 60) -> tuple[float, ...]:
    """Values with equal ratios."""
    return tuple(low * (high / low) ** (i / (number - 1)) for i in range(number))


def curve(values: Sequence[float], of: Callable[[float], float]) -> tuple[tuple[float, float], ...]:
    """Points of a function."""
    return tuple((value, of(value)) for value in values)


def pool_sizes() -> Chart:
    """How many leave together, by the rate."""
    rates = (30, 90, 180, 360)
    pools = {rate: Pool(messages=20, seconds=10 * MINUTE, rate=rate / HOUR) for rate in rates}
    return Chart(
        title="How many leave together: 20 messages and 10 minutes",
        x=Axis(label="at least so many", low=0, high=90, ticks=(0, 20, 40, 60, 80)),
        y=Axis(label="probability", low=0, high=1, ticks=(0, 0.25, 0.5, 0.75, 1)),
        curves=tuple((f"{rate} an hour", _survival(pool, 90)) for rate, pool in pools.items()),
    )


def _survival(pool: Pool, most: int) -> tuple[tuple[float, float], ...]:
    points: list[tuple[float, float]] = []
    below = 0.0
    for size in range(most + 1):
        points += [(size, max(0.0, 1 - below))]
        below += pool.size_probability(size)
        points += [(size, max(0.0, 1 - below))]
    return tuple(points)


def waits() -> Chart:
    """How long a message waits, by the rate and m."""
    rates = logarithmic(2, 2000)

    def wait(messages: int) -> Callable[[float], float]:
        return lambda rate: (
            Pool(messages=messages, seconds=10 * MINUTE, rate=rate / HOUR).mean_wait() / MINUTE
        )

    return Chart(
        title="Mean wait in the relay: at least 10 minutes for the first",
        x=Axis(label="messages an hour", low=2, high=2000, ticks=(2, 10, 50, 200, 1000), logarithmic=True),
        y=Axis(label="minutes", low=3, high=1000, ticks=(5, 10, 60, 240, 1000), logarithmic=True),
        curves=tuple((f"m = {messages}", curve(rates, wait(messages))) for messages in (5, 20, 50)),
    )


def anonymity_against_delay() -> Chart:
    """Each curve is one rate; along it the time t grows from nothing to six hours, with m = 20."""

    def points(rate: float) -> tuple[tuple[float, float], ...]:
        pools = [Pool(messages=20, seconds=seconds, rate=rate / HOUR) for seconds in logarithmic(5, 6 * HOUR)]
        return tuple((pool.mean_wait() / MINUTE, pool.mean_anonymity()) for pool in pools)

    return Chart(
        title="How many hide each other, against delay: m = 20, t up to 6 hours",
        x=Axis(
            label="mean wait in minutes", low=0.5, high=300, ticks=(0.5, 2, 10, 30, 60, 180), logarithmic=True
        ),
        y=Axis(
            label="messages in one's pool",
            low=10,
            high=5000,
            ticks=(10, 20, 100, 500, 2000),
            logarithmic=True,
        ),
        curves=tuple((f"{rate:g} an hour", points(rate)) for rate in (10, 60, 240, 1000)),
    )


def flooding() -> Chart:
    """What is left of the pool when somebody fills it with messages of his own."""
    arrivals = logarithmic(0.5, 100)

    def fewer(than: int) -> Callable[[float], float]:
        def probability(mean: float) -> float:
            pool = Pool(messages=2, seconds=mean, rate=1.0)
            return math.fsum(pool.others_under_flooding(size) for size in range(1, than))

        return probability

    return Chart(
        title="Under flooding: a message hides among fewer than so many",
        x=Axis(
            label="messages expected in the time t", low=0.5, high=100, ticks=(0.5, 1, 3, 10, 30, 100),
            logarithmic=True,
        ),
        y=Axis(label="probability", low=0, high=1, ticks=(0, 0.25, 0.5, 0.75, 1)),
        curves=tuple(
            ("than 2: it is alone" if than == 2 else f"than {than}", curve(arrivals, fewer(than)))
            for than in (2, 5, 20)
        ),
    )  # fmt: skip


PICTURES: Final[Mapping[str, Callable[[], Chart]]] = {
    "relay-pool-sizes.svg": pool_sizes,
    "relay-waits.svg": waits,
    "relay-anonymity.svg": anonymity_against_delay,
    "relay-flooding.svg": flooding,
}


def main(folder: str) -> None:
    """Write all pictures into a folder."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for name, chart in PICTURES.items():
        (target / name).write_text(chart().svg(), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
