"""Whole recurrent layers as one operator: LSTM, GRU and GRU with attentional update gate."""

import collections
import math

from ascendify_runtime.framework import layer_class, tf

from npu_bridge.helper import formulas, host

DYNAMIC_RNN_UNIDIRECTION = "UNIDIRECTIONAL"
DYNAMIC_RNN_BIDIRECTION = "BIDIRECTIONAL"

_UNKNOWN_BATCH = 16
_UNKNOWN_TIME = 1

_Lstm = collections.namedtuple("DynamicRnn", "y output_h output_c i j f o tanhc")
_Gru = collections.namedtuple("DynamicGruV2", "y output_h update reset new hidden_new")
_Augru = collections.namedtuple("DynamicAUGRU", "y output_h update update_att reset new hidden_new")


class _DynamicBasic(layer_class()):
    """Base class of the layers: options, their checks, lengths, directions."""

    def __init__(
        self,
        hidden_size,
        dtype,
        direction=DYNAMIC_RNN_UNIDIRECTION,
        cell_depth=1,
        keep_prob=1.0,
        cell_clip=-1.0,
        num_proj=0,
        time_major=True,
        activation="tanh",
        is_training=True,
    ):
        super(_DynamicBasic, self).__init__(dtype=tf.as_dtype(dtype).name)
        self._hidden_size = hidden_size
        self._direction = direction
        self._cell_depth = cell_depth
        self._keep_prob = keep_prob
        self._cell_clip = cell_clip
        self._num_proj = num_proj
        self._time_major = time_major
        self._rnn_activation = activation
        self._is_training = is_training
        self._seq_length = None

    @property
    def direction(self):
        return self._direction

    @property
    def cell_depth(self):
        return self._cell_depth

    @property
    def keep_prob(self):
        return self._keep_prob

    @property
    def cell_clip(self):
        return self._cell_clip

    @property
    def num_proj(self):
        return self._num_proj

    @property
    def time_major(self):
        return self._time_major

    @property
    def activation(self):
        return self._rnn_activation

    @property
    def is_training(self):
        return self._is_training

    def check_direction(self):
        if self._direction not in (DYNAMIC_RNN_UNIDIRECTION, DYNAMIC_RNN_BIDIRECTION):
            raise ValueError(
                "Invalid direction: %s, expecting %s or %s"
                % (self._direction, DYNAMIC_RNN_UNIDIRECTION, DYNAMIC_RNN_BIDIRECTION)
            )

    def build(self, input_shape):
        time_size, batch_size = tf.TensorShape(input_shape).as_list()[:2]
        self._seq_length = self.add_weight(
            "dynamicbase/seq_length",
            shape=[_UNKNOWN_BATCH if batch_size is None else batch_size],
            dtype=tf.int32,
            initializer=tf.constant_initializer(
                _UNKNOWN_TIME if time_size is None else time_size, dtype=tf.int32
            ),
            trainable=False,
        )
        super(_DynamicBasic, self).build(input_shape)

    def _input_size(self, input_shape):
        size = tf.TensorShape(input_shape).as_list()[2]
        if size is None:
            raise ValueError("Expected input_shape[2] to be known, saw shape: input_size.")
        return size

    def _check_options(self, x, **own):
        """Refuse options that the operator accepts but has no kernel for."""
        self.check_direction()
        host.require_type(x, "x")
        documented = {
            "cell_depth": (self._cell_depth, 1),
            "keep_prob": (self._keep_prob, 1.0),
            "cell_clip": (self._cell_clip, -1.0),
            "num_proj": (self._num_proj, 0),
            "time_major": (self._time_major, True),
            "activation": (self._rnn_activation, "tanh"),
        }
        documented.update(own)
        for option, (value, only) in sorted(documented.items()):
            if value != only:
                raise host.unavailable(
                    "%s with %s=%r" % (type(self).__name__, option, value),
                    "only %s=%r is documented" % (option, only),
                )

    def _zeros(self, x):
        return tf.zeros([tf.shape(x)[1], self._hidden_size], dtype=x.dtype)

    def _both_directions(self, run, x, seq_length, *more):
        """Return the outputs of ``run``; for two directions stacked: forwards, then backwards.

        The operator has one set of weights, which both directions use.
        """
        forwards = run(x, *more)
        if self._direction == DYNAMIC_RNN_UNIDIRECTION:
            return forwards
        turned = [_reversed_time(part, seq_length) for part in (x,) + more]
        backwards = [_reversed_time(part, seq_length) for part in run(*turned)]
        pairs = zip(forwards, backwards)
        return type(forwards)(*[tf.stack(pair, axis=0) for pair in pairs])


def _reversed_time(tensor, seq_length):
    if seq_length is None:
        return tf.reverse(tensor, axis=[0])
    return tf.reverse_sequence(tensor, seq_length, seq_axis=0, batch_axis=1)


def _is_live(time, seq_length):
    """Return a column that is true for the sequences that are not finished at ``time``."""
    return tf.cast(time < seq_length, tf.bool)[:, None]


def _select(live, yes, no):
    return yes if live is None else tf.where(tf.broadcast_to(live, tf.shape(yes)), yes, no)


def _loop(step, inputs, states, count, seq_length):
    """``step(live, inputs at t, states)`` over time; returns ``count`` outputs stacked over time.

    A step returns its outputs and the next states.
    """
    time_size = tf.shape(inputs[0])[0]
    kind = inputs[0].dtype
    arrays = [tf.TensorArray(kind, size=time_size) for _ in range(count)]

    def body(time, states, arrays):
        live = None if seq_length is None else _is_live(time, seq_length)
        outputs, next_states = step(live, [part[time] for part in inputs], states)
        written = [array.write(time, value) for array, value in zip(arrays, outputs)]
        return time + 1, list(next_states), written

    invariants = [tf.TensorShape([None, state.shape[-1]]) for state in states]
    _, _, arrays = tf.while_loop(
        lambda time, *_: time < time_size,
        body,
        [tf.constant(0), list(states), arrays],
        shape_invariants=[
            tf.TensorShape([]),
            invariants,
            [tf.TensorShape(None) for _ in arrays],
        ],
    )
    outputs = [array.stack() for array in arrays]
    hidden = states[0].shape[-1]
    for output in outputs:
        output.set_shape(inputs[0].shape[:2].concatenate(hidden))
    return outputs


def _flat_state(state):
    """Return an initial state as [batch, hidden]; an additional leading 1 is removed."""
    state = tf.convert_to_tensor(state)
    return state[0] if state.shape.ndims == 3 else state


class DynamicRNN(_DynamicBasic):
    """An LSTM over [time, batch, input].

    A call returns y, h, c, the gates i, j, f, o after their activation and tanh(c), each
    [time, batch, hidden], for two directions stacked on a leading dimension. Past the length of a
    sequence its y is zero and its h and c stay.
    """

    def __init__(
        self,
        hidden_size,
        dtype,
        cell_type="LSTM",
        direction=DYNAMIC_RNN_UNIDIRECTION,
        cell_depth=1,
        use_peephole=False,
        keep_prob=1.0,
        cell_clip=-1.0,
        num_proj=0,
        time_major=True,
        activation="tanh",
        forget_bias=0.0,
        is_training=True,
    ):
        super(DynamicRNN, self).__init__(
            hidden_size,
            dtype,
            direction=direction,
            cell_depth=cell_depth,
            keep_prob=keep_prob,
            cell_clip=cell_clip,
            num_proj=num_proj,
            time_major=time_major,
            activation=activation,
            is_training=is_training,
        )
        self._cell_type = cell_type
        self._use_peephole = use_peephole
        self._forget_bias = forget_bias
        self._rnn_w = None
        self._rnn_b = None

    @property
    def cell_type(self):
        return self._cell_type

    @property
    def use_peephole(self):
        return self._use_peephole

    @property
    def forget_bias(self):
        return self._forget_bias

    def build(self, input_shape):
        input_size = self._input_size(input_shape)
        dtype = tf.as_dtype(self.dtype)
        self._rnn_w = self.add_weight(
            "dynamicrnn/w",
            shape=[input_size + self._hidden_size, 4 * self._hidden_size],
            dtype=dtype,
            initializer=tf.glorot_uniform_initializer(seed=10, dtype=dtype),
        )
        self._rnn_b = self.add_weight(
            "dynamicrnn/b",
            shape=[4 * self._hidden_size],
            dtype=dtype,
            initializer=tf.zeros_initializer(dtype=dtype),
        )
        super(DynamicRNN, self).build(input_shape)

    def call(self, x, seq_length=None, init_h=None, init_c=None, weight=None, bias=None):
        self._check_options(
            x, cell_type=(self._cell_type, "LSTM"), use_peephole=(self._use_peephole, False)
        )
        states = [
            self._zeros(x) if state is None else _flat_state(state) for state in (init_h, init_c)
        ]
        weight = self._rnn_w if weight is None else weight
        bias = self._rnn_b if bias is None else bias

        def step(live, inputs, states):
            h, c = states
            new = formulas.lstm_step(inputs[0], h, c, weight, bias, self._forget_bias)
            next_h, next_c = _select(live, new.ht, h), _select(live, new.ct, c)
            y = _select(live, new.ht, tf.zeros_like(new.ht))
            gates = [new.it, new.jt, new.ft, new.ot, new.tanhct]
            return [y, next_h, next_c] + gates, [next_h, next_c]

        def run(x):
            return _Lstm(*_loop(step, [x], states, 8, seq_length))

        return self._both_directions(run, x, seq_length)


class _DynamicGruBasic(_DynamicBasic):
    """Base class of the two GRUs: their weights and one step."""

    _prefix = None

    def __init__(
        self,
        hidden_size,
        dtype,
        direction=DYNAMIC_RNN_UNIDIRECTION,
        cell_depth=1,
        keep_prob=1.0,
        cell_clip=-1.0,
        num_proj=0,
        time_major=True,
        activation="tanh",
        gate_order="zrh",
        reset_after=True,
        is_training=True,
    ):
        super(_DynamicGruBasic, self).__init__(
            hidden_size,
            dtype,
            direction=direction,
            cell_depth=cell_depth,
            keep_prob=keep_prob,
            cell_clip=cell_clip,
            num_proj=num_proj,
            time_major=time_major,
            activation=activation,
            is_training=is_training,
        )
        self._gate_order = gate_order
        self._reset_after = reset_after
        self._gru_weights = None

    @property
    def gate_order(self):
        return self._gate_order

    @property
    def reset_after(self):
        return self._reset_after

    def build(self, input_shape):
        width = 3 * self._hidden_size
        bound = 1.0 / math.sqrt(self._hidden_size)
        shapes = (
            ("weight_input", [self._input_size(input_shape), width]),
            ("weight_hidden", [self._hidden_size, width]),
            ("bias_input", [width]),
            ("bias_hidden", [width]),
        )
        self._gru_weights = [
            self.add_weight(
                self._prefix + "/" + name,
                shape=shape,
                dtype=tf.as_dtype(self.dtype),
                initializer=tf.random_uniform_initializer(-bound, bound),
            )
            for name, shape in shapes
        ]
        super(_DynamicGruBasic, self).build(input_shape)

    def _check_gru(self, x):
        if self._gate_order not in ("zrh", "rzh"):
            raise ValueError("gate_order must be zrh or rzh, got %s" % self._gate_order)
        self._check_options(x, reset_after=(self._reset_after, True))

    def _gates(self, x, h):
        """Return update gate, reset gate, candidate, and the hidden part of the candidate."""
        weight_input, weight_hidden, bias_input, bias_hidden = self._gru_weights
        from_input = tf.split(tf.matmul(x, weight_input) + bias_input, 3, axis=1)
        from_hidden = tf.split(tf.matmul(h, weight_hidden) + bias_hidden, 3, axis=1)
        z, r = (0, 1) if self._gate_order == "zrh" else (1, 0)
        update = tf.sigmoid(from_input[z] + from_hidden[z])
        reset = tf.sigmoid(from_input[r] + from_hidden[r])
        hidden_new = from_hidden[2]
        return update, reset, tf.tanh(from_input[2] + reset * hidden_new), hidden_new


class DynamicGRUV2(_DynamicGruBasic):
    """A GRU over [time, batch, input] whose reset gate acts after the matrix product.

    A call returns y, h, update gate, reset gate, candidate and the candidate's hidden part. Past
    the length of a sequence its y and h stay.
    """

    _prefix = "dynamicgruv2"

    def call(self, x, seq_length=None, init_h=None):
        self._check_gru(x)
        state = self._zeros(x) if init_h is None else _flat_state(init_h)

        def step(live, inputs, states):
            h = states[0]
            update, reset, new, hidden_new = self._gates(inputs[0], h)
            following = _select(live, new + update * (h - new), h)
            return [following, following, update, reset, new, hidden_new], [following]

        def run(x):
            return _Gru(*_loop(step, [x], [state], 6, seq_length))

        return self._both_directions(run, x, seq_length)


class DynamicAUGRU(_DynamicGruBasic):
    """As :class:`DynamicGRUV2`, with an attention [time, batch] that weakens the update gate.

    Between update and reset gate a call also returns the update gate after the attention.
    """

    _prefix = "dynamicaugru"

    def call(self, x, weight_att, seq_length=None, init_h=None):
        self._check_gru(x)
        state = self._zeros(x) if init_h is None else _flat_state(init_h)
        weight_att = tf.convert_to_tensor(weight_att)

        def step(live, inputs, states):
            h = states[0]
            update, reset, new, hidden_new = self._gates(inputs[0], h)
            weakened = (1.0 - inputs[1][:, None]) * update
            following = _select(live, new + weakened * (h - new), h)
            return [following, following, update, weakened, reset, new, hidden_new], [following]

        def run(x, attention):
            return _Augru(*_loop(step, [x, attention], [state], 7, seq_length))

        return self._both_directions(run, x, seq_length, weight_att)
