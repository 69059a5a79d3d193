"""The fetches of a ``Session.run``: single fetches, their operations, and all dependencies."""


def ancestors(operations):
    """Yield the operations and everything they depend on."""
    seen = set()
    waiting = list(operations)
    while waiting:
        operation = waiting.pop()
        if operation.name in seen:
            continue
        seen.add(operation.name)
        yield operation
        waiting.extend(one.op for one in operation.inputs)
        waiting.extend(operation.control_inputs)


def walk(fetches, values=None, key=""):
    """Yield each single fetch of a structure with its key and its value."""
    if isinstance(fetches, (list, tuple)):
        keys = getattr(fetches, "_fields", None) or [""] * len(fetches)
        results = values if values is not None else [None] * len(fetches)
        for one, name, result in zip(fetches, keys, results):
            for found in walk(one, result, name):
                yield found
    elif isinstance(fetches, dict):
        for name, one in fetches.items():
            result = values[name] if values is not None else None
            for found in walk(one, result, name if isinstance(name, str) else ""):
                yield found
    elif fetches is not None:
        yield fetches, key, values


def element(graph, fetch):
    """Return the tensor or operation of a fetch, None if it has several or is unknown."""
    try:
        return graph.as_graph_element(fetch, allow_tensor=True, allow_operation=True)
    except (TypeError, ValueError, KeyError):
        return None


def elements(graph, fetches):
    """Yield the name of each fetch, and the operation that computes it."""
    for fetch, _, _ in walk(fetches):
        found = element(graph, fetch)
        if found is not None:
            yield found.name, getattr(found, "op", None) or found


def scalars(graph, fetches, values):
    """Yield the fetched scalar float tensors with their keys and values."""
    for fetch, key, value in walk(fetches, values):
        tensor = element(graph, fetch)
        if tensor is not None and is_scalar_float(tensor) and value is not None:
            yield tensor, key, value


def is_scalar_float(element):
    """Whether it is a float tensor with one number, or with an unknown shape."""
    dtype = getattr(element, "dtype", None)
    shape = getattr(element, "shape", None)
    return (
        dtype is not None and dtype.is_floating and shape is not None and shape.ndims in (0, None)
    )


def series(tensor):
    """Return a tensor's name without the output number."""
    return tensor.name[:-2] if tensor.name.endswith(":0") else tensor.name
