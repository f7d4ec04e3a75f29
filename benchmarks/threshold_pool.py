"""How many people hide each other in a threshold pool, and how long they wait for it.

Messages come as a Poisson process with rate ``lambda``. A pool begins with its first message and leaves when
it holds at least ``m`` and the first has waited at least ``t``. Let ``n = m - 1``, ``K`` the number of
messages that come within ``t`` after the first (Poisson with mean ``a = lambda t``) and ``S`` the time until
the n-th of them (Erlang). The pool leaves at ``T = max(t, S)`` with ``B = max(m, 1 + K)`` messages; pools are
independent.

References
----------
.. [1] Serjantov, Dingledine, Syverson, "From a Trickle to a Flood: Active Attacks on Several Mix Types",
   Information Hiding 2002, section 2 (threshold and timed mixes) and 5 (blending attacks).
.. [2] Ross, "Stochastic Processes", 2nd ed., sections 2.3 (arrival times given their number are uniform) and
   3.6 (renewal reward).
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, takewhile
from typing import Final

from server.collection.relay.threshold import Threshold

_SMALLEST: Final = 1e-18


def poisson(mean: float, k: int) -> float:
    """Probability of exactly `k` events."""
    if k < 0:
        return 0.0
    if mean == 0:
        return 1.0 if k == 0 else 0.0
    return math.exp(k * math.log(mean) - mean - math.lgamma(k + 1))


def poisson_below(mean: float, k: int) -> float:
    """Probability of fewer than `k` events."""
    return min(1.0, math.fsum(poisson(mean, i) for i in range(k)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """A threshold pool under a steady stream of messages.

    Attributes
    ----------
    messages : int
        ``m``, at least 1.
    seconds : float
        ``t``.
    rate : float
        ``lambda``, messages a second, above 0.
    """

    messages: int
    seconds: float
    rate: float

    def __post_init__(self) -> None:
        if self.messages < 1 or self.seconds < 0 or not self.rate > 0:
            raise ValueError("a pool has at least one message, no negative time and some arrivals")

    @property
    def arrivals(self) -> float:
        """``a``: messages expected within the time of the threshold after the first."""
        return self.rate * self.seconds

    def size_probability(self, size: int) -> float:
        """``P(B = size)``: all that would be below `messages` is at `messages`."""
        if size < self.messages:
            return 0.0
        if size == self.messages:
            return poisson_below(self.arrivals, self.messages)
        return poisson(self.arrivals, size - 1)

    def sizes(self) -> Iterator[tuple[int, float]]:
        """Sizes that occur, with their probabilities."""
        last = max(self.messages, math.ceil(self.arrivals)) + 1
        return (
            (size, probability)
            for size, probability in takewhile(
                lambda pair: pair[0] <= last or pair[1] > _SMALLEST,
                ((size, self.size_probability(size)) for size in count(self.messages)),
            )
            if probability > _SMALLEST
        )

    def mean_size(self) -> float:
        """``E[B]``: messages in a pool."""
        return math.fsum(size * probability for size, probability in self.sizes())

    def mean_anonymity(self) -> float:
        """``E[B^2] / E[B]``: messages in the pool of a message picked at random, its own included.

        Larger pools hold more messages, so a message is in a larger one than the average pool.
        """
        square = math.fsum(size * size * probability for size, probability in self.sizes())
        return square / self.mean_size()

    def mean_wait(self) -> float:
        """Mean seconds from acceptance of a message picked at random to the leaving of its pool.

        By renewal reward [2]_ it is the sum of the waits in a pool over its size, both expected. If the pool
        leaves at ``t``, the ``K`` others came at uniform times; if it leaves with the n-th, that one does not
        wait, and the others came at uniform times before it::

            E[sum] = E[t + t K / 2; K >= n] + E[S + (n-1) S / 2; K < n]
                   = t P(K >= n) + (t/2) a P(K >= n-1) + ((n+1)/2) (n/lambda) P(K <= n)

        with ``E[K; K >= n] = a P(K >= n-1)`` and ``E[S; S > t] = (n/lambda) P(K <= n)``.
        """
        n, a, t = self.messages - 1, self.arrivals, self.seconds
        in_time = t * (1 - poisson_below(a, n)) + (t / 2) * a * (1 - poisson_below(a, n - 1))
        late = ((n + 1) / 2) * (n / self.rate) * poisson_below(a, n + 1)
        return (in_time + late) / self.mean_size()

    def others_under_flooding(self, size: int) -> float:
        """Probability that a message hides among exactly `size` genuine ones, itself included, in a flood.

        An attacker fills the pool with messages of his own whenever he likes, so that ``messages`` is always
        reached and he knows all but the genuine ones (the n-1 attack, [1]_). The pool still waits ``seconds``
        after its first message; as long as he does not fill it, the others are Poisson with mean ``a``.
        """
        return poisson(self.arrivals, size - 1)


def simulate(pool: Pool, pools: int, seed: int) -> tuple[list[int], float]:
    """Let messages arrive and the relay's own rule decide: sizes of the pools, and the mean wait.

    Parameters
    ----------
    pool : Pool
        Rule and rate.
    pools : int
        How many pools leave.
    seed : int
        Of the arrivals.
    """
    rule = Threshold(messages=pool.messages, seconds=pool.seconds)
    dice = random.Random(seed)
    sizes, waited = [], 0.0
    for _ in range(pools):
        came = [0.0]
        while True:
            following = came[-1] + dice.expovariate(pool.rate)
            # The rule is asked when the time is over and at each arrival after it.
            if rule.met(len(came), pool.seconds) and following > pool.seconds:
                break
            came.append(following)
        left = max(pool.seconds, came[-1])
        sizes.append(len(came))
        waited += math.fsum(left - time for time in came)
    return sizes, waited / sum(sizes)
