"""Options of a process group of hccl."""

import datetime

DEFAULT_TIMEOUT = datetime.timedelta(minutes=30)


class Options:
    """ProcessGroupHCCL.Options: stored and shown; only the timeout has an effect."""

    def __init__(self):
        self.op_timeout = DEFAULT_TIMEOUT
        self.is_high_priority_stream = False
        self.global_ranks_in_group = []
        self.hccl_config = {}
        self.group_id = ""
        self._timeout = DEFAULT_TIMEOUT
        self.backend = "hccl"
