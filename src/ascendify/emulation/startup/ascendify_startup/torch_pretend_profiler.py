"""Run PyTorch's profilers without the times of a GPU, which cannot be measured here."""


def begin():
    """Remove the GPU from the profiled activities."""
    import torch
    from torch.autograd import profiler as old

    activity = torch._C._profiler.ProfilerActivity
    initialise = old.profile.__init__

    def init(self, *args, **kwargs):
        for name, value in (("use_cuda", False), ("use_device", None)):
            if kwargs.get(name) in (True, "cuda"):
                kwargs[name] = value
        initialise(self, *args, **kwargs)

    old.profile.__init__ = init
    try:
        from torch.profiler import profiler as new
    except ImportError:  # a build without it
        return
    collect = new._KinetoProfile.__init__

    def init_collection(self, *args, **kwargs):
        activities = kwargs.pop("activities", None)
        if activities is None and args:
            activities, args = args[0], args[1:]
        kept = {activity.CPU} if activities is None else set(activities) - {activity.CUDA}
        collect(self, *args, activities=kept or {activity.CPU}, **kwargs)

    new._KinetoProfile.__init__ = init_collection
    supported = always_with(activity.CUDA, new.supported_activities)
    new.supported_activities = torch.profiler.supported_activities = supported


def always_with(one, function):
    """Wrap a function to add one element to the set it returns."""

    def answer():
        return set(function()) | {one}

    return answer
