"""Descriptions of ranks and collectives for error messages."""

MOST_ARRAYS = 4
"""How many arrays are listed; of more, only the number is shown."""


def ranks(numbers):
    """Return ``rank 1`` or ``ranks 1, 2 and 3``."""
    texts = [str(number) for number in sorted(numbers)]
    if len(texts) == 1:
        return "rank " + texts[0]
    return "ranks " + ", ".join(texts[:-1]) + " and " + texts[-1]


def call(message):
    """Return the description of a call: kind, name, arrays and group."""
    details = [arrays(message["spec"].get("arrays", ()))]
    for key, value in sorted(message["spec"].items()):
        if key != "arrays" and value is not None:
            details.append("{} {}".format(key, value))
    if message["group"] != "hccl_world_group":
        details.append("group {} of {}".format(message["group"], ranks(message["members"])))
    return "{} '{}' ({})".format(message["kind"], message["name"], ", ".join(filter(None, details)))


def arrays(described):
    """Return types and shapes of a list of arrays."""
    texts = [array(one) for one in described[:MOST_ARRAYS]]
    if len(described) > MOST_ARRAYS:
        texts.append("... {} arrays".format(len(described)))
    return ", ".join(texts)


def array(described):
    """``float32[3,4]``."""
    dtype, shape = described
    return "{}[{}]".format(dtype, ",".join(str(size) for size in shape))


def first_difference(one, other):
    """Return the first difference of two long lists of arrays; an empty text for short lists."""
    left, right = one["spec"].get("arrays", ()), other["spec"].get("arrays", ())
    if max(len(left), len(right)) <= MOST_ARRAYS:
        return ""
    for index, (mine, theirs) in enumerate(zip(left, right)):
        if mine != theirs:
            return "\nThe first that differs is array {}: {} against {}.".format(
                index, array(mine), array(theirs)
            )
    return "\nOne has {} arrays, the other {}.".format(len(left), len(right))
