"""Sentences about collectives, for errors that a person has to act on."""

MOST_ARRAYS = 4
"""More than these are counted, not listed."""


def ranks(numbers):
    """``rank 1`` or ``ranks 1, 2 and 3``."""
    texts = [str(number) for number in sorted(numbers)]
    if len(texts) == 1:
        return "rank " + texts[0]
    return "ranks " + ", ".join(texts[:-1]) + " and " + texts[-1]


def call(message):
    """A call as its rank made it: kind, name, and what it was given."""
    details = [arrays(message["spec"].get("arrays", ()))]
    for key, value in sorted(message["spec"].items()):
        if key != "arrays" and value is not None:
            details.append("{} {}".format(key, value))
    if message["group"] != "hccl_world_group":
        details.append("group {} of {}".format(message["group"], ranks(message["members"])))
    return "{} '{}' ({})".format(message["kind"], message["name"], ", ".join(filter(None, details)))


def arrays(described):
    """Types and shapes of a list of arrays."""
    texts = [array(one) for one in described[:MOST_ARRAYS]]
    if len(described) > MOST_ARRAYS:
        texts.append("... {} arrays".format(len(described)))
    return ", ".join(texts)


def array(described):
    """``float32[3,4]``."""
    dtype, shape = described
    return "{}[{}]".format(dtype, ",".join(str(size) for size in shape))


def first_difference(one, other):
    """Where two long lists of arrays part, or an empty text when a glance shows it."""
    left, right = one["spec"].get("arrays", ()), other["spec"].get("arrays", ())
    if max(len(left), len(right)) <= MOST_ARRAYS:
        return ""
    for index, (mine, theirs) in enumerate(zip(left, right)):
        if mine != theirs:
            return "\nThe first that differs is array {}: {} against {}.".format(
                index, array(mine), array(theirs)
            )
    return "\nOne has {} arrays, the other {}.".format(len(left), len(right))
