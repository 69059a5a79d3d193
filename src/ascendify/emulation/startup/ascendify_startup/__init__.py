"""Changes to the user's interpreter for a run: seeds, a pretended GPU, captured losses, times.

Nothing here imports TensorFlow or PyTorch by itself: each part waits until the program does. The
parts do not need the stand-ins, because the original project runs without them.
"""

import os


def begin():
    """Set up the parts that environment variables switch on."""
    wanted = os.environ.get
    _set_up_machine(wanted)
    if wanted("ASCENDIFY_ON_CPU") == "1" or wanted("ASCENDIFY_DEVICES"):
        from ascendify_startup import gloo_exit

        gloo_exit.begin()
    if wanted("ASCENDIFY_SEED"):
        from ascendify_startup import seeds

        seeds.begin(int(os.environ["ASCENDIFY_SEED"]))
    if wanted("ASCENDIFY_DETERMINISTIC") or wanted("ASCENDIFY_ON_CPU"):
        from ascendify_startup import session_config

        session_config.begin(
            deterministic=wanted("ASCENDIFY_DETERMINISTIC") == "1",
            on_cpu=wanted("ASCENDIFY_ON_CPU") == "1",
        )
    if wanted("ASCENDIFY_DETERMINISTIC") == "1":
        from ascendify_startup import (
            data_order,
            native_keras_steps,
            native_keras_variance,
            queue_order,
            sequential_loops,
        )

        data_order.begin()
        native_keras_steps.begin()
        native_keras_variance.begin()
        queue_order.begin()
        sequential_loops.begin()
    _begin_control_runs()
    if wanted("ASCENDIFY_ON_CPU") == "1":
        from ascendify_startup import torch_pretend

        torch_pretend.begin()
    if wanted("ASCENDIFY_PRETEND_GPU") == "1":
        from ascendify_startup import tf_pretend

        tf_pretend.begin()
    if wanted("ASCENDIFY_HOROVOD"):
        from ascendify_startup import horovod_stand_in

        horovod_stand_in.begin(os.environ["ASCENDIFY_HOROVOD"])
    if wanted("ASCENDIFY_CAPTURE"):
        from ascendify_startup import capture

        capture.begin(os.environ["ASCENDIFY_CAPTURE"])
    if wanted("ASCENDIFY_MEASURE"):
        from ascendify_startup import measure

        measure.begin(os.environ["ASCENDIFY_MEASURE"])
    if wanted("ASCENDIFY_STRICT") == "1" or wanted("ASCENDIFY_AUDIT"):
        # programs set these variables before they import anything
        from ascendify_runtime import cuda_variables

        cuda_variables.begin()
    if wanted("ASCENDIFY_STRICT") == "1":
        _watch_for_findings()


def _begin_control_runs():
    """Change what several devices have of their own, in runs that tell it from mistakes."""
    if os.environ.get("ASCENDIFY_INDEPENDENT_SAMPLES") == "1":
        from ascendify_startup import independent_samples, torch_independent_samples

        independent_samples.begin()
        torch_independent_samples.begin()
    if os.environ.get("ASCENDIFY_ADD_GRADIENTS") == "1":
        from ascendify_startup import torch_added_gradients

        torch_added_gradients.begin()
    if os.environ.get("ASCENDIFY_MOVED_WEIGHTS") == "1":
        from ascendify_startup import moved_weights

        moved_weights.begin()


def _watch_for_findings():
    """Set up what strict mode must see before the stand-ins are imported."""
    from ascendify_startup import import_hooks, training_device

    def watch_state():
        import tensorflow

        if not tensorflow.__version__.startswith("1."):
            from ascendify_runtime import lost_state

            lost_state.watch()

    training_device.begin()
    import_hooks.after("tensorflow", watch_state)


def _set_up_machine(wanted):
    """Set up the devices that the program finds, and shorter error messages."""
    if wanted("ASCENDIFY_DEVICES") or wanted("ASCENDIFY_ORIGINAL") == "1":
        from ascendify_startup import plain_errors

        plain_errors.begin()
    if wanted("ASCENDIFY_HIDE_GPU"):
        from ascendify_startup import no_gpu

        no_gpu.begin(os.environ["ASCENDIFY_HIDE_GPU"])
    if wanted("ASCENDIFY_ORIGINAL") == "1":
        from ascendify_startup import no_npu

        no_npu.begin()
