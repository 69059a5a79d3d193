"""torch_npu.profiler.profiler.analyse: there is no raw data to analyse here."""

import os


def analyse(profiler_path, max_process_number=None, export_type=None):
    """Check the folder; traces of the emulation are complete when they are written."""
    if not os.path.isdir(profiler_path):
        raise FileNotFoundError("%s is no folder with results of the profiler" % profiler_path)
