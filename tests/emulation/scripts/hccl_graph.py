"""Collectives in the graph, on one rank or two."""

import sys

import numpy as np
from ascendify_runtime.framework import tf
from ascendify_runtime.world import world
from npu_bridge.hccl import hccl_ops

if not tf.__version__.startswith("1."):
    tf.disable_v2_behavior()

here = world()
RANK, SIZE = here.rank, here.size


def raises(kind, text, function, *arguments, **keywords):
    try:
        function(*arguments, **keywords)
    except kind as error:
        assert text in str(error), (text, str(error))
    else:
        raise AssertionError(f"no {kind.__name__}, expected: {text}")


def checks():
    """Called when the graph is built, on one rank as on many."""
    x = tf.placeholder(tf.float32, [4, 3])
    double = tf.placeholder(tf.float64, [4])
    short = tf.placeholder(tf.int16, [4])
    flag = tf.placeholder(tf.bool, [4])
    ops = hccl_ops
    raises(TypeError, "does not take float64 on 910A; cast to one of", ops.allreduce, double, "sum")
    raises(TypeError, "int8, int32, int64, float16, float32", ops.allreduce, short, "sum")
    raises(TypeError, "does not take bool", ops.broadcast, [flag], 0)
    raises(TypeError, "does not take bfloat16", ops.broadcast, [tf.cast(x, tf.bfloat16)], 0)
    raises(TypeError, "does not take float64", ops.reduce_scatter, double, "sum", SIZE)
    raises(TypeError, "does not take float64", ops.allreduce_fused, [x, double], "sum")
    raises(TypeError, "Expected list for 'input'", ops.broadcast, x, 0)
    raises(TypeError, "must be int64", ops.all_to_all_v, x, [1], [0], [1], [0])
    raises(ValueError, "Value for attr 'reduction' of \"mean\"", ops.allreduce, x, "mean")
    raises(ValueError, "fusion is 3", ops.allreduce, x, "sum", 3)
    raises(ValueError, "fusion is 1", ops.broadcast, [x], 0, 1)
    raises(ValueError, "group is ''", ops.allreduce, x, "sum", group="")
    raises(ValueError, "rank_size is 0", ops.allgather, x, 0)
    raises(ValueError, f"has {SIZE} ranks", ops.allgather, x, SIZE + 1)
    raises(ValueError, "root_rank is 9", ops.broadcast, [x], 9)
    raises(ValueError, "is this rank itself", ops.send, x, 1, RANK)
    raises(ValueError, "a scalar", ops.allgather, tf.constant(1.0), SIZE)
    raises(ValueError, "cannot take a variable", ops.allreduce, tf.Variable([1.0]), "sum")
    raises(ValueError, "more than 8 GB", ops.allreduce, tf.placeholder(tf.int8, [2**33 + 1]), "sum")
    for name in ("remote_read", "remote_write"):
        count = getattr(ops, name).__code__.co_argcount
        raises(NotImplementedError, "RDMA", getattr(ops, name), *[x] * count)
    if SIZE > 1:
        raises(ValueError, "divides", ops.reduce_scatter, tf.zeros([3]), "sum", SIZE)
    ops.broadcast([double, short], 0)


def values():
    x = tf.placeholder(tf.float32, [4, 3], "x")
    n = tf.placeholder(tf.int64, [4], "n")
    y = hccl_ops.allreduce(x, "sum")
    assert y.op.name == "HcomAllReduce", y
    z = hccl_ops.allreduce(x * 2, "max")
    assert z.op.name == "HcomAllReduce_1", z
    w = tf.Variable(tf.fill([2], float(RANK)))
    outputs = {
        "sum": y,
        "max": z,
        "list": hccl_ops.allreduce([x], "sum"),
        "half": hccl_ops.allreduce(tf.cast(x, tf.float16), "prod"),
        "fused": hccl_ops.allreduce_fused([x, tf.reduce_sum(x), n], "sum", "Gradients"),
        "gather": hccl_ops.allgather(n, SIZE),
        "broadcast": hccl_ops.broadcast([x, w], SIZE - 1),
        "reduce": hccl_ops.reduce(x, "sum", 0),
        "scatter": hccl_ops.reduce_scatter(x, "sum", SIZE),
        "gradient": tf.gradients(tf.reduce_sum(hccl_ops.allreduce(x, "sum") * (RANK + 1.0)), x),
    }
    counts = np.array([[1, 2], [2, 2]], np.int64)[:SIZE, :SIZE]
    outputs["matrix"] = hccl_ops.all_to_all_v_c(n, tf.constant(counts), RANK)
    assert outputs["list"].shape.as_list() == [1, 4, 3]
    assert outputs["gather"].shape.as_list() == [4 * SIZE]
    assert outputs["scatter"].shape.as_list() == [4 // SIZE, 3]
    assert [one.shape.as_list() for one in outputs["fused"]] == [[4, 3], [], [4]]
    if SIZE > 1:
        other = 1 - RANK
        for source in (0, 1):
            tag = f"tag{source}"
            if source == RANK:
                outputs[tag] = hccl_ops.send(x, source, other)
            else:
                outputs[tag] = hccl_ops.receive([4, 3], tf.float32, source, other)
        calls = [op for op in tf.get_default_graph().get_operations() if op.type == "PyFunc"]
        assert all(op.get_attr("_ascendify_collective") for op in calls)
        raises(LookupError, "No gradient", tf.gradients, outputs["scatter"], x)
    given = np.arange(12, dtype=np.float32).reshape(4, 3)
    # A collective holds a thread while it waits; the sessions of npu_init have room for many.
    room = tf.ConfigProto(inter_op_parallelism_threads=32)
    with tf.Session(config=room) as session:
        session.run(tf.global_variables_initializer())
        for step in range(3):
            feed = {x: given * (RANK + 1) + step, n: np.arange(4) + 10 * RANK}
            found = session.run(outputs, feed)
    expect(found, [given * (rank + 1) + 2 for rank in range(SIZE)])


def expect(found, given):
    same = np.testing.assert_array_equal
    total = sum(given)
    same(found["sum"], total)
    same(found["max"], given[-1] * 2)
    same(found["list"], [total])
    half = given[0].astype(np.float16)
    for one in given[1:]:
        half = half * one.astype(np.float16)
    same(found["half"], half)
    assert found["half"].dtype == np.float16
    same(found["fused"][0], total)
    same(found["fused"][1], sum(one.sum(dtype=np.float32) for one in given))
    numbers = [np.arange(4) + 10 * rank for rank in range(SIZE)]
    same(found["fused"][2], sum(numbers))
    same(found["gather"], np.concatenate(numbers))
    same(found["broadcast"][0], given[-1])
    same(found["broadcast"][1], [SIZE - 1.0] * 2)
    same(found["reduce"], total if RANK == 0 else given[RANK])
    rows = 4 // SIZE
    same(found["scatter"], total[RANK * rows : (RANK + 1) * rows])
    same(found["gradient"][0], np.full((4, 3), sum(range(1, SIZE + 1))))
    pieces = {(1, 0): [0], (2, 0): [0, 10, 11], (2, 1): [1, 2, 12, 13]}
    same(found["matrix"], pieces[SIZE, RANK])
    if SIZE > 1:
        same(found[f"tag{1 - RANK}"], given[1 - RANK])


def graphs_that_differ():
    """The error reaches the session of every rank."""
    with tf.Graph().as_default(), tf.Session() as session:
        name = f"Rank{RANK}"
        result = hccl_ops.allreduce_fused([tf.ones([2])], "sum", name)
        try:
            session.run(result)
        except tf.errors.OpError as error:
            for text in ("Rank0/", "Rank1/", "do not match"):
                assert text in str(error), str(error)
        else:
            raise AssertionError("no error")


checks()
with tf.Graph().as_default():
    values()
if SIZE > 1:
    graphs_that_differ()
print("as it should be")
sys.stdout.flush()
