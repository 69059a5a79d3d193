"""Conversion of a Keras model to an NPUEstimator."""

try:
    from tensorflow_estimator.python.estimator import keras as keras_lib
except ImportError:
    try:
        from tensorflow_estimator.python.estimator import keras_lib
    except ImportError:  # releases from 2.16 on have no Estimator
        keras_lib = None

from ascendify_runtime.framework import NO_ESTIMATOR, missing

from npu_bridge.estimator.npu.npu_estimator import NPUEstimator, with_model_dir


class _WithNpuEstimator:
    """A module of Estimators in which `Estimator` is the NPU's."""

    def __init__(self, module, job_start_file):
        self._module = module
        self._job_start_file = job_start_file

    def __getattr__(self, name):
        return getattr(self._module, name)

    def Estimator(self, *args, **kwargs):
        return NPUEstimator(*args, job_start_file=self._job_start_file, **kwargs)


def model_to_npu_estimator(
    keras_model=None,
    keras_model_path=None,
    custom_objects=None,
    model_dir=None,
    checkpoint_format="saver",
    config=None,
    job_start_file="",
):
    """Return an NPUEstimator that trains a compiled Keras model."""
    if keras_lib is None:
        raise missing(NO_ESTIMATOR)
    config = with_model_dir(config, model_dir)
    estimators = keras_lib.estimator_lib
    keras_lib.estimator_lib = _WithNpuEstimator(estimators, job_start_file)
    try:
        return keras_lib.model_to_estimator(
            keras_model=keras_model,
            keras_model_path=keras_model_path,
            custom_objects=custom_objects,
            config=config,
            checkpoint_format=checkpoint_format,
            use_v2_estimator=False,
        )
    finally:
        keras_lib.estimator_lib = estimators
