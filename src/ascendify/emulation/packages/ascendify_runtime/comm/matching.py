"""Brings together the calls of the ranks: by group, name and how often the name was called.

Runs in rank 0 and does no input or output itself: the coordinator hands in what ranks say and the
time, and sends what comes out. Peers are never matched by the order in which calls arrive.
"""

from . import describe

BUSY = 0.02
"""A process that uses more of a processor than this computes something.

One that only waits uses less than a tenth of it; on a machine with many others one that computes
may get no more.
"""


class Settings:
    """How long to wait before a wait is an error, in seconds.

    A rank that does not come and does nothing is waited for ``arrival`` seconds, one that computes
    ``longest`` seconds (None: for ever). ``grace``: after which a mutual wait is told.
    """

    def __init__(self, arrival, longest, variable, grace):
        self.arrival = arrival
        self.longest = longest
        self.variable = variable
        self.grace = grace


class Call:
    """One collective, from the first rank that calls it to the last that has read the result."""

    def __init__(self, message, now):
        self.first = message
        self.members = tuple(message["members"])
        self.since = now
        self.looked = now
        self.samples = {}
        """Processor time of ranks that are missing: at the last look, and now."""
        self.arrived = {}
        """Message and raw bytes of each rank that has called."""
        self.stepped = set()
        self.released = set()
        self.running = False

    @property
    def missing(self):
        """Ranks that have not called yet."""
        return [rank for rank in self.members if rank not in self.arrived]


class Matcher:
    """The state of every collective of the job."""

    def __init__(self, settings, send):
        self.settings = settings
        self._send = send
        self._calls = {}
        self._failed = {}
        """Calls that failed, for ranks that get there later: message and ranks still to come."""
        self._left = {}
        self._stuck = None
        self._stuck_since = None
        self._samples = {}
        """First and last processor time of each rank since they were stuck."""

    def call(self, rank, message, payload, now):
        """A rank calls a collective."""
        self._stuck = None
        key = _key(message)
        if key in self._failed:
            self._fail_late(key, rank, message)
            return
        call = self._calls.get(key)
        if call is None:
            call = self._calls[key] = Call(message, now)
        call.arrived[rank] = (message, payload)
        if not _agree(call.first, message):
            self._fail(key, _disagreement(call, message))
            return
        gone = [member for member in call.missing if member in self._left]
        if gone:
            self._fail(key, self._departure(call, gone[0]))
        elif not call.missing:
            self._start(call)

    def step(self, rank, message):
        """A rank has done its part of a running call and waits for the others."""
        call = self._calls.get(_key(message))
        if call is None:
            return
        call.stepped.add(rank)
        if len(call.stepped) == len(call.members):
            for member in call.members:
                self._send(member, {"type": "stepped", "id": call.arrived[member][0]["id"]})

    def release(self, rank, message):
        """A rank has read what it needs of a running call."""
        key = _key(message)
        if key in self._calls:
            self._release(key, rank)

    def leave(self, rank, reason):
        """A rank ended: whoever waits for it hears of it now."""
        self._left[rank] = reason
        for key, call in list(self._calls.items()):
            if rank not in call.members:
                continue
            if not call.running or self._needs(call, rank):
                self._fail(key, self._departure(call, rank))
            else:
                self._release(key, rank)

    @property
    def wants_samples(self):
        """The ranks whose processor time would tell whether they are stuck."""
        ranks = set(self._stuck[0]) if self._stuck else set()
        for call in self._calls.values():
            ranks.update(call.missing)
        return ranks

    def sample(self, rank, seconds):
        """A rank tells how much processor time it has used."""
        self._samples[rank] = (self._samples.get(rank, (seconds,))[0], seconds)
        for call in self._calls.values():
            if rank in call.missing:
                call.samples[rank] = (call.samples.get(rank, (seconds,))[0], seconds)

    def tick(self, now):
        """Look for waits that cannot end."""
        for key, call in list(self._calls.items()):
            if not call.running and now - call.looked >= self.settings.arrival:
                self._look(key, call, now)
        stuck = self._deadlock()
        if not stuck[0]:
            self._stuck = None
        elif self._stuck != stuck:
            self._stuck, self._stuck_since, self._samples = stuck, now, {}
        elif now - self._stuck_since >= self.settings.grace:
            self._end_deadlock(now)

    def _look(self, key, call, now):
        """A call has waited long: for a rank that computes it may go on waiting."""
        waited = now - call.looked
        longest = self.settings.longest
        if longest is None or now - call.since < longest:
            if longest is None or any(
                _computes(call.samples.get(rank), waited) for rank in call.missing
            ):
                call.looked, call.samples = now, {}
                return
        self._fail(key, self._lateness(call, now))

    def _end_deadlock(self, now):
        ranks, keys = self._stuck
        waited = now - self._stuck_since
        unknown = [rank for rank in ranks if rank not in self._samples]
        if unknown or any(_computes(self._samples[rank], waited) for rank in ranks):
            # It may still reach what the others wait for.
            self._stuck_since, self._samples = now, {}
            return
        text = self._deadlock_text(ranks)
        for key in keys:
            self._fail(key, text)

    def _start(self, call):
        call.running = True
        for member in call.members:
            parts, buffers = [], []
            for rank in call.members:
                message, payload = call.arrived[rank]
                inline = message["shared"] is None and member in message["to"]
                parts.append(
                    {
                        "nbytes": len(payload) if inline else 0,
                        "shared": message["shared"],
                        "dropped": message["dropped"],
                        "extra": message["extra"],
                    }
                )
                if inline:
                    buffers.append(payload)
            ready = {"type": "ready", "id": call.arrived[member][0]["id"], "parts": parts}
            self._send(member, ready, buffers)
        for rank, (message, _) in list(call.arrived.items()):
            call.arrived[rank] = (message, b"")

    def _release(self, key, rank):
        call = self._calls[key]
        call.released.add(rank)
        if len(call.released) < len(call.members):
            return
        del self._calls[key]
        for member, (message, _) in call.arrived.items():
            if message["shared"] is not None:
                self._send(member, {"type": "freed", "id": message["id"]})

    @staticmethod
    def _needs(call, rank):
        """Whether others still wait for a rank in a call that is running."""
        shared = all(message["shared"] for message, _ in call.arrived.values())
        return shared and call.first["steps"] and rank not in call.stepped

    def _fail(self, key, text):
        call = self._calls.pop(key)
        for message, _ in call.arrived.values():
            self._send_failure(message, text)
        late = set(call.missing) - set(self._left)
        if late:
            self._failed[key] = (text, late)

    def _fail_late(self, key, rank, message):
        text, late = self._failed[key]
        self._send_failure(message, text)
        late.discard(rank)
        if not late:
            del self._failed[key]

    def _send_failure(self, message, text):
        self._send(message["rank"], {"type": "failed", "id": message["id"], "text": text})

    def _departure(self, call, rank):
        waiting = sorted(set(call.arrived) - {rank})
        if call.running:
            text = "{} ended in the middle of {}.".format(
                describe.ranks([rank]).capitalize(), describe.call(call.first)
            )
        else:
            text = "{} ended, but {} still {} for it in {}.".format(
                describe.ranks([rank]).capitalize(),
                describe.ranks(waiting),
                "waits" if len(waiting) == 1 else "wait",
                describe.call(call.first),
            )
        reason = self._left[rank]
        if reason:
            return "{} It ended with {}.".format(text, reason)
        return (
            "{} Usually a rank runs out of data before the others: give every rank the same "
            "number of batches (equal shards, drop_remainder, or repeat() with a fixed number of "
            "steps).".format(text)
        )

    def _lateness(self, call, now):
        lines = [
            "{} did not call {} within {:.0f} s ({}).".format(
                describe.ranks(call.missing).capitalize(),
                describe.call(call.first),
                now - call.since,
                self.settings.variable,
            )
        ]
        lines += self._whereabouts(call.members)
        lines.append(
            "Every rank must call the same collectives; raise {} when a rank only needs longer "
            "to get there.".format(self.settings.variable)
        )
        return "\n".join(lines)

    def _whereabouts(self, members):
        lines = []
        for rank in members:
            waits = self._waits(rank)
            where = "; ".join(waits) if waits else "is in no collective"
            lines.append("  rank {}: {}".format(rank, where))
        return lines

    def _waits(self, rank):
        return [
            describe.call(call.arrived[rank][0])
            for call in self._calls.values()
            if not call.running and rank in call.arrived
        ]

    def _deadlock(self):
        """Ranks that wait only for one another, and the calls they wait in."""
        waiting = {}
        for key, call in self._calls.items():
            if not call.running:
                for rank in call.arrived:
                    waiting.setdefault(rank, []).append(key)
        stuck = set(waiting)
        while True:
            free = {
                rank
                for rank in stuck
                if any(stuck.isdisjoint(self._calls[key].missing) for key in waiting[rank])
            }
            if not free:
                break
            stuck -= free
        keys = {key for rank in stuck for key in waiting[rank]}
        return frozenset(stuck), frozenset(keys)

    def _deadlock_text(self, ranks):
        lines = ["The ranks wait for one another in collectives that do not match:"]
        lines += self._whereabouts(sorted(ranks))
        lines.append(
            "Every rank must call the same collectives with the same names. Look for code that "
            "depends on the rank where the graph is built or run."
        )
        if any(len(self._waits(rank)) > 1 for rank in ranks):
            lines.append(
                "A rank that waits in several at once may also lack threads for the others: each "
                "holds one (inter_op_parallelism_threads)."
            )
        return "\n".join(lines)


def _computes(sample, waited):
    """Whether a rank has used the processor since it was first asked."""
    return sample is not None and sample[1] - sample[0] > BUSY * waited


def _key(message):
    return (message["group"], message["name"], message["sequence"])


def _agree(one, other):
    same = one["spec"] == other["spec"] and one["members"] == other["members"]
    return same and _partner(one["kind"]) == _partner(other["kind"])


def _partner(kind):
    """A send is answered by a receive."""
    return "send" if kind == "receive" else kind


def _disagreement(call, message):
    first, message = sorted((call.first, message), key=lambda one: one["rank"])
    lines = [
        "{} and {} call '{}' differently (call {} of that name):".format(
            describe.ranks([first["rank"]]).capitalize(),
            describe.ranks([message["rank"]]),
            message["name"],
            message["sequence"] + 1,
        ),
        "  rank {}: {}".format(first["rank"], describe.call(first)),
        "  rank {}: {}".format(message["rank"], describe.call(message)),
    ]
    return "\n".join(lines) + describe.first_difference(first, message)
