"""Every collective, type and group against plain numpy, to the last bit."""

import threading

import numpy as np
from ascendify_runtime.world import world

SMALL, LARGE = (4, 6), (4, 20011)
"""Over the socket, and through shared memory."""
DTYPES = (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "bool", "complex64",
)  # fmt: skip
REDUCTIONS = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}
WORLD = "hccl_world_group"

here = world()
here.create_group("front", [0, 1])
here.create_group("back", [2, 3])
here.create_group("turned", [3, 0])
here.create_group("alone", [here.rank])


def values(rank, dtype, shape, seed=0):
    random = np.random.RandomState(1000 * seed + rank)
    return (random.standard_normal(shape) * 5).astype(dtype)


def reduced(arrays, reduction):
    result = arrays[0]
    with np.errstate(all="ignore"):
        for array in arrays[1:]:
            result = REDUCTIONS[reduction](result, array)
    return result


def same(found, expected, what):
    assert found.dtype == expected.dtype, (what, found.dtype, expected.dtype)
    assert found.shape == expected.shape, (what, found.shape, expected.shape)
    assert found.tobytes() == expected.tobytes(), what


def check(dtype, shape, group):
    ranks = here.group(group)
    given = [values(rank, dtype, shape) for rank in ranks]
    mine = given[ranks.index(here.rank)]
    position, count = ranks.index(here.rank), len(ranks)
    tag = f"{dtype}{shape}{group}"
    for reduction in REDUCTIONS:
        expected = reduced(given, reduction)
        found = here.allreduce([mine], reduction, tag + reduction, group)[0]
        same(found, expected, tag + reduction)
    total = reduced(given, "sum")
    root = count - 1
    found = here.reduce([mine], "sum", root, tag + "r", group)[0]
    same(found, total if position == root else mine, tag + "reduce")
    same(here.broadcast([mine], root, tag + "b", group)[0], given[root], tag + "broadcast")
    same(here.allgather([mine], tag + "g", group)[0], np.concatenate(given), tag + "allgather")
    rows = shape[0] // count
    share = total[position * rows : (position + 1) * rows]
    same(here.reduce_scatter([mine], "sum", tag + "s", group)[0], share, tag + "reduce_scatter")
    all_to_all(mine, given, position, count, tag, group)
    send_receive(mine, given, position, count, tag, group)


def all_to_all(mine, given, position, count, tag, group):
    """Rank i sends i + j + 1 elements to rank j."""
    matrix = np.array([[i + j + 1 for j in range(count)] for i in range(count)])
    starts = np.cumsum(matrix, axis=1) - matrix
    expected = [
        given[i].reshape(-1)[starts[i, position] :][: matrix[i, position]] for i in range(count)
    ]
    found = here.all_to_all_v_c(mine, matrix, tag + "c", group)
    same(found, np.concatenate(expected), tag + "all_to_all_v_c")
    receives = matrix[:, position]
    places = np.cumsum(receives) - receives
    found = here.all_to_all_v(
        mine, matrix[position], starts[position], receives, places + 2, tag + "a", group
    )
    same(found[2:], np.concatenate(expected), tag + "all_to_all_v")
    assert not found[:2].any()


def send_receive(mine, given, position, count, tag, group):
    if count == 1:
        return
    if position == 0:
        here.send([mine, mine[:1]], count - 1, tag + "p", group)
    elif position == count - 1:
        both = here.receive([(mine.shape, mine.dtype), (mine[:1].shape, mine.dtype)],
                            0, tag + "p", group)  # fmt: skip
        same(both[0], given[0], tag + "receive")
        same(both[1], given[0][:1], tag + "receive")


def lists():
    """Lists of any shapes, mixed types, empty arrays, non-contiguous and big-endian arrays."""
    shapes = [(), (1,), (0, 3), (5, 7), (70000,), (3, 1, 2)]
    for seed in range(12):
        random = np.random.RandomState(seed)
        chosen = [
            (
                shapes[random.randint(len(shapes))],
                ("float32", "int32", "float16")[random.randint(3)],
            )
            for _ in range(random.randint(0, 9))
        ]
        given = [
            [np.asarray(values(rank, dtype, shape, seed)) for shape, dtype in chosen]
            for rank in range(here.size)
        ]
        found = here.allreduce(given[here.rank], "sum", "list")
        assert len(found) == len(chosen)
        for index, array in enumerate(found):
            same(array, np.asarray(reduced([one[index] for one in given], "sum")), "list")
    odd = np.arange(60000, dtype=">f4").reshape(200, 300).T[::2]
    same(here.allreduce([odd], "sum", "odd")[0], (odd * 4).astype("float32"), "odd")


def threads():
    """Many collectives at once, started in another order on every rank."""
    results = {}

    def one(number):
        for _ in range(5):
            given = np.full(30000 if number % 2 else 3, number, np.float32)
            results[number] = here.allreduce([given], "sum", f"thread{number}")[0]

    order = np.random.RandomState(here.rank).permutation(8)
    running = [threading.Thread(target=one, args=(int(number),)) for number in order]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    for number in range(8):
        assert (results[number] == number * here.size).all()


def growing():
    """Memory is used again, and given back when it is too small."""
    for size in (50000, 400000, 100000, 2000000, 30):
        for turn in range(3):
            found = here.allreduce([np.full(size, turn, np.float32)], "sum", "growing")[0]
            assert (found == 4 * turn).all()
            rows = here.broadcast([np.full(size, here.rank)], turn, "moving")[0]
            assert (rows == turn).all()
    owned = sum(len(segments) for segments in here.segments._own.values())
    assert owned < 30, owned


for dtype in DTYPES:
    for shape in (SMALL, LARGE):
        check(dtype, shape, WORLD)
for group in ("front", "back", "turned", "alone"):
    if here.rank in here.group(group):
        for shape in (SMALL, LARGE):
            check("float32", shape, group)
lists()
threads()
growing()
print("equal")
