"""torch_npu.profiler, torch_npu.utils, torch.compile, and names that must be there."""

import json
import tempfile
import warnings
from pathlib import Path

import torch
import torch_npu
from torch_harness import case, main, raises, same

FOLDER = Path(tempfile.mkdtemp())


@case
def a_schedule_in_the_order_of_torch_npu():
    from torch_npu.profiler import ProfilerAction, schedule

    actions = schedule(1, 2, 1, 2, 1)
    none, warm, record, save = (
        ProfilerAction.NONE,
        ProfilerAction.WARMUP,
        ProfilerAction.RECORD,
        ProfilerAction.RECORD_AND_SAVE,
    )
    expected = [none, none, warm, record, save, none, warm, record, save, none]
    assert [actions(step) for step in range(10)] == expected
    actions = schedule(3, 2, 1, 1, 1, skip_first_wait=1)
    assert [actions(step) for step in range(6)] == [none, warm, record, save, none, none]


@case
def profiles_are_handed_over_as_the_schedule_says():
    from torch_npu import profiler

    ready = []
    with profiler.profile(
        activities=[profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.NPU],
        schedule=profiler.schedule(wait=1, warmup=0, active=1, repeat=2),
        on_trace_ready=lambda one: ready.append(one.step_num),
        experimental_config=profiler._ExperimentalConfig(
            profiler_level=profiler.ProfilerLevel.Level1,
            aic_metrics=profiler.AiCMetrics.PipeUtilization,
        ),
    ) as running:
        for _ in range(5):
            torch.ones(2).npu() + 1
            running.step()
    assert ready == [2, 4]
    assert any("add" in event.key for event in running.key_averages())


@case
def settings_of_the_profiler_are_checked():
    from torch_npu import profiler

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        settings = profiler._ExperimentalConfig(profiler_level="Level9")
    assert "profiler_level" in str(said[-1].message)
    assert settings._profiler_level == profiler.ProfilerLevel.Level0
    raises(TypeError, "_ExperimentalConfig", profiler.profile, experimental_config={})
    assert profiler.ProfilerActivity.NPU in profiler.supported_activities()


@case
def a_profile_on_demand():
    from torch_npu.profiler import dynamic_profile

    dynamic_profile.init(str(FOLDER / "dynamic"))
    (FOLDER / "dynamic" / "profiler_config.json").write_text(
        json.dumps({"start_step": 2, "active": 1, "prof_dir": str(FOLDER / "dynamic" / "out")})
    )
    for _ in range(4):
        torch.ones(2).npu() + 1
        dynamic_profile.step()
    assert len(list((FOLDER / "dynamic" / "out").glob("*_ascend_pt"))) == 1


@case
def saving_in_the_background_keeps_the_values_of_now():
    tensor = torch.ones(3).npu()
    torch_npu.utils.save_async({"x": tensor, "list": [tensor]}, str(FOLDER / "a.pt"))
    tensor.zero_()
    for thread in torch_npu.utils.serialization._running:
        thread.join()
    loaded = torch.load(str(FOLDER / "a.pt"))
    same(loaded["x"], torch.ones(3))
    same(loaded["list"][0], torch.ones(3))


@case
def tensors_are_combined():
    from torch_npu.utils import (
        get_part_combined_tensor,
        is_combined_tensor_valid,
        npu_combine_tensors,
    )

    parts = [torch.ones(2).npu(), torch.zeros(1, 3).npu()]
    whole = npu_combine_tensors(parts)
    assert is_combined_tensor_valid(whole, parts)
    parts[1].fill_(5)
    assert whole.tolist() == [1, 1, 5, 5, 5]
    assert get_part_combined_tensor(whole, 1, 2).tolist() == [1, 5]
    assert not is_combined_tensor_valid(whole, [torch.ones(1).npu()])
    raises(RuntimeError, "same dtype", npu_combine_tensors, [parts[0], parts[1].half()])
    raises(RuntimeError, "got cpu", npu_combine_tensors, [torch.ones(1)])


@case
def operations_are_counted():
    counter = torch_npu.utils.FlopsCounter()
    counter.start()
    torch.ones(2, 3).npu() @ torch.ones(3, 4).npu()
    assert counter.get_flops()[0] == 2 * 2 * 3 * 4
    counter.stop()


@case
def extensions_are_not_built():
    from torch_npu.utils.cpp_extension import NpuExtension

    raises(RuntimeError, "real NPU only", NpuExtension, name="my_ops", sources=[])


@case
def compiled_models_run_eagerly_and_say_so_once():
    import torchair

    def function(x):
        return x * 2 + 1

    x = torch.arange(3.0).npu()
    for backend in ("inductor", "npugraphs", "npugraph_ex", "npu", torchair.get_npu_backend()):
        torch._dynamo.reset()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            for _ in range(2):
                same(torch.compile(function, backend=backend)(x), function(x))
        texts = [str(one.message) for one in said if "compiles nothing" in str(one.message)]
        assert len(texts) == 1, (backend, texts)


@case
def names_of_the_package():
    for name in ("contrib", "distributed", "dynamo", "npu", "optim", "profiler", "utils", "_C"):
        assert hasattr(torch_npu, name), name
    torch_npu.utils.set_thread_affinity([0, 0])
    torch_npu.utils.reset_thread_affinity()
    assert torch_npu.utils.get_cann_version("CANN") == ""


if __name__ == "__main__":
    main()
