"""Code for stand-alone Keras and tf.keras: an optimizer, and collectives on plain values."""

from ascendify_runtime.framework import left_out, missing, need_keras_2, tf, uncounted_ops

import horovod.tensorflow as hvd
from horovod._missing import refuse


def distributed(optimizer, name, *options):
    """Return a Keras optimizer of the same class that reduces gradients over all ranks."""
    own = type(optimizer)
    eagerly = not hasattr(own, "get_gradients")
    if eagerly and not tf.executing_eagerly():
        if _is_of_keras_3(own):
            raise _no_session()
        refuse(
            "optimizer around {}.{}".format(own.__module__, own.__name__),
            "such an optimizer needs eager execution. In a graph, use that of "
            "tf.keras.optimizers.legacy",
        )
    reduce_gradients = hvd.reducer(name or "Distributed{}".format(own.__name__), *options)
    methods = (_applying if eagerly else _methods)(own, reduce_gradients)
    # the class has the same name, so that a saved model can be loaded without Horovod
    return type(own.__name__, (own,), methods).from_config(optimizer.get_config())


def _is_of_keras_3(own):
    """Whether a class of optimizers is one of Keras 3, whose `apply_gradients` calls `apply`."""
    return hasattr(own, "apply")


def _applying(own, reduce_gradients):
    """The methods of an optimizer that is given gradients and computes none."""

    def apply(self, grads, trainable_variables=None):
        """Reduce gradients over all ranks and apply them."""
        return own.apply(self, reduce_gradients(grads), trainable_variables)

    def apply_gradients(self, grads_and_vars, *args, **kwargs):
        """Reduce gradients over all ranks and apply them."""
        gradients, variables = zip(*grads_and_vars)
        pairs = list(zip(reduce_gradients(gradients), variables))
        return own.apply_gradients(self, pairs, *args, **kwargs)

    method = apply if _is_of_keras_3(own) else apply_gradients
    return {method.__name__: method, "__module__": own.__module__}


def _methods(own, reduce_gradients):
    def get_gradients(self, loss, params):
        """Gradients reduced over all ranks."""
        self._aggregated_gradients = True
        return reduce_gradients(own.get_gradients(self, loss, params))

    def _compute_gradients(self, *args, **kwargs):
        self._aggregated_gradients = True
        gradients, variables = zip(*own._compute_gradients(self, *args, **kwargs))
        return list(zip(reduce_gradients(gradients), variables))

    def apply_gradients(self, *args, **kwargs):
        """Apply reduced gradients with the inner optimizer."""
        if not getattr(self, "_aggregated_gradients", False):
            raise Exception(
                "`apply_gradients()` was called without a call to `get_gradients()` or "
                "`_aggregate_gradients`."
            )
        return own.apply_gradients(self, *args, **kwargs)

    methods = (get_gradients, _compute_gradients, apply_gradients)
    # the optimizers of stand-alone Keras have only the first of these
    known = {one.__name__: one for one in methods if hasattr(own, one.__name__)}
    return dict(known, __module__=own.__module__)


def broadcast_global_variables(backend, root_rank):
    """Set all global variables to their values on the root, immediately."""
    return session_of(backend).run(hvd.broadcast_global_variables(root_rank))


def session_of(backend):
    """Return the session of Keras.

    Raises:
        NotImplementedError: Keras 3 has none.
    """
    if not hasattr(backend, "get_session"):
        raise _no_session()
    return backend.get_session()


def _no_session():
    return missing(left_out("session for Keras models"))


def allreduce(backend, value, name, **options):
    """Reduce a value over all ranks, immediately."""
    return _now(backend, value, name, lambda tensor: hvd.allreduce(tensor, **options))


def allgather(backend, value, name):
    """Gather the values of all ranks, immediately."""
    return _now(backend, value, name, hvd.allgather)


def broadcast(backend, value, root_rank, name):
    """Return the value of the root, immediately."""
    return _now(backend, value, name, lambda tensor: hvd.broadcast(tensor, root_rank))


def _now(backend, value, name, collective):
    if tf.executing_eagerly():
        return collective(tf.constant(value)).numpy()
    session = session_of(backend)
    with session.graph.as_default(), uncounted_ops():
        return session.run(collective(tf.constant(value, name=name or "HorovodValue")))


def load_model(keras, wrap, filepath, custom_optimizers, custom_objects, legacy_opts=False):
    """Load a model whose optimizer then reduces gradients over all ranks."""
    optimizers = keras.optimizers
    if legacy_opts:  # releases without this module have no other optimizers than those
        need_keras_2("tf.keras.optimizers.legacy")
        optimizers = getattr(optimizers, "legacy", optimizers)
    in_keras_3 = _is_of_keras_3(optimizers.Optimizer)

    def loadable(cls):
        return cls if in_keras_3 else lambda **options: wrap(cls(**options))

    kinds = () if in_keras_3 else optimizers.Optimizer.__subclasses__()
    known = {cls.__name__.lower(): loadable(cls) for cls in kinds}
    known.update({cls.__name__: loadable(cls) for cls in custom_optimizers or ()})
    known.update(custom_objects or {})
    model = keras.models.load_model(filepath, custom_objects=known)
    if in_keras_3 and model.optimizer is not None:
        model.optimizer = _with_state(wrap(model.optimizer), model)
    return model


def _with_state(optimizer, model):
    """Return an optimizer with the state of a loaded model's; Keras 3 loads its own class."""
    if model.optimizer.built:
        optimizer.build(model.trainable_variables)
        for variable, saved in zip(optimizer.variables, model.optimizer.variables):
            variable.assign(saved)
    return optimizer
