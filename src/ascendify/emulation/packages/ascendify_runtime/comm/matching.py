"""Match the calls of the ranks by group, name and how often that name was called.

Runs in rank 0 and does no input or output itself: the coordinator passes in the messages of the
ranks and the time, and sends the replies. Calls are never matched by the order of their arrival.
"""

from . import describe

BUSY = 0.02
"""Share of a processor above which a process counts as computing.

A process that only waits uses less than a tenth of it; on a busy machine a process that computes
may get no more than this.
"""


class Timeouts:
    """How long ranks wait for each other before it is an error, in seconds.

    ``arrival``: for a missing rank that is idle. ``longest``: for a missing rank that computes
    (None: for ever). ``grace``: before a deadlock is reported. ``variable``: the environment
    variable that sets the first two.
    """

    def __init__(self, arrival, longest, variable, grace):
        self.arrival = arrival
        self.longest = longest
        self.variable = variable
        self.grace = grace


class Collective:
    """One collective, from the first rank that calls it to the last that has read the result."""

    def __init__(self, message, now):
        self.first = message
        self.members = tuple(message["members"])
        self.since = now
        self.checked = now
        self.samples = {}
        """Processor time of the missing ranks: at the last check, and now."""
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

    def __init__(self, timeouts, send):
        self.timeouts = timeouts
        self._send = send
        self._calls = {}
        self._failed = {}
        """Failed calls that some ranks have not made yet: the message, and those ranks."""
        self._left = {}
        self._stuck = None
        self._stuck_since = None
        self._samples = {}
        """Processor time of each rank: when the deadlock was first seen, and now."""

    def call(self, rank, message, payload, now):
        """Handle the call of a collective by a rank."""
        self._stuck = None
        key = _key(message)
        if key in self._failed:
            self._fail_late(key, rank, message)
            return
        call = self._calls.get(key)
        if call is None:
            call = self._calls[key] = Collective(message, now)
        call.arrived[rank] = (message, payload)
        if not _agree(call.first, message):
            self._fail(key, _disagreement_text(call, message))
            return
        gone = [member for member in call.missing if member in self._left]
        if gone:
            self._fail(key, self._exit_text(call, gone[0]))
        elif not call.missing:
            self._start(call)

    def step(self, rank, message):
        """Handle that a rank has finished a step of a running call and waits for the others."""
        call = self._calls.get(_key(message))
        if call is None:
            return
        call.stepped.add(rank)
        if len(call.stepped) == len(call.members):
            for member in call.members:
                self._send(member, {"type": "stepped", "id": call.arrived[member][0]["id"]})

    def release(self, rank, message):
        """Handle that a rank has read the results of a running call."""
        key = _key(message)
        if key in self._calls:
            self._release(key, rank)

    def leave(self, rank, reason):
        """Handle the exit of a rank: calls that wait for it fail at once."""
        self._left[rank] = reason
        for key, call in list(self._calls.items()):
            if rank not in call.members:
                continue
            if not call.running or self._needs(call, rank):
                self._fail(key, self._exit_text(call, rank))
            else:
                self._release(key, rank)

    @property
    def ranks_to_sample(self):
        """The ranks whose processor time is needed to find out whether they compute."""
        ranks = set(self._stuck[0]) if self._stuck else set()
        for call in self._calls.values():
            ranks.update(call.missing)
        return ranks

    def sample(self, rank, seconds):
        """Store the processor time that a rank has used so far."""
        self._samples[rank] = (self._samples.get(rank, (seconds,))[0], seconds)
        for call in self._calls.values():
            if rank in call.missing:
                call.samples[rank] = (call.samples.get(rank, (seconds,))[0], seconds)

    def tick(self, now):
        """Check for timeouts and deadlocks."""
        for key, call in list(self._calls.items()):
            if not call.running and now - call.checked >= self.timeouts.arrival:
                self._check_wait(key, call, now)
        stuck = self._deadlock()
        if not stuck[0]:
            self._stuck = None
        elif self._stuck != stuck:
            self._stuck, self._stuck_since, self._samples = stuck, now, {}
        elif now - self._stuck_since >= self.timeouts.grace:
            self._end_deadlock(now)

    def _check_wait(self, key, call, now):
        """Fail a call that has waited too long, unless a missing rank still computes."""
        waited = now - call.checked
        longest = self.timeouts.longest
        if longest is None or now - call.since < longest:
            if longest is None or any(
                _computes(call.samples.get(rank), waited) for rank in call.missing
            ):
                call.checked, call.samples = now, {}
                return
        self._fail(key, self._timeout_text(call, now))

    def _end_deadlock(self, now):
        ranks, keys = self._stuck
        waited = now - self._stuck_since
        unknown = [rank for rank in ranks if rank not in self._samples]
        if unknown or any(_computes(self._samples[rank], waited) for rank in ranks):
            # A rank that computes may still call what the others wait for.
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
        """Whether the other ranks of a running call still wait for this rank."""
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

    def _exit_text(self, call, rank):
        waiting = sorted(set(call.arrived) - {rank})
        if call.running:
            text = "{} exited in the middle of {}.".format(
                describe.ranks([rank]).capitalize(), describe.call(call.first)
            )
        else:
            text = "{} exited, but {} still {} for it in {}.".format(
                describe.ranks([rank]).capitalize(),
                describe.ranks(waiting),
                "waits" if len(waiting) == 1 else "wait",
                describe.call(call.first),
            )
        reason = self._left[rank]
        if reason:
            return "{} It failed with {}.".format(text, reason)
        return (
            "{} Usually a rank runs out of data before the others: give every rank the same "
            "number of batches (equal shards, drop_remainder, or repeat() with a fixed number of "
            "steps).".format(text)
        )

    def _timeout_text(self, call, now):
        lines = [
            "{} did not call {} within {:.0f} s ({}).".format(
                describe.ranks(call.missing).capitalize(),
                describe.call(call.first),
                now - call.since,
                self.timeouts.variable,
            )
        ]
        lines += self._waits_of(call.members)
        lines.append(
            "Every rank must call the same collectives; raise {} when a rank only needs longer "
            "to get there.".format(self.timeouts.variable)
        )
        return "\n".join(lines)

    def _waits_of(self, members):
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
        """Return the ranks that wait only for one another, and the calls they wait in."""
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
        lines += self._waits_of(sorted(ranks))
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
    """Whether a rank has used the processor between its first and its last sample."""
    return sample is not None and sample[1] - sample[0] > BUSY * waited


def _key(message):
    return (message["group"], message["name"], message["sequence"])


def _agree(one, other):
    same = one["spec"] == other["spec"] and one["members"] == other["members"]
    return same and _partner(one["kind"]) == _partner(other["kind"])


def _partner(kind):
    """Return the kind of call that matches a kind: a receive matches a send."""
    return "send" if kind == "receive" else kind


def _disagreement_text(call, message):
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
