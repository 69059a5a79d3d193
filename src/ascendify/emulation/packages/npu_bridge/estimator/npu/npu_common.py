"""The job of this process: its identity, device and ranks."""

import json
import os

from npu_bridge.estimator.npu import util


class JobConfig:
    """Hyper-parameters that a scheduler may pass."""

    def __init__(self, learning_rate=None, batch_size=None):
        self.learning_rate = learning_rate
        self.batch_size = batch_size


class DeviceInfo:
    """The device of this process."""

    def __init__(self, index="0", server_id="123456", dev_index=1):
        self._index = index
        self._server_id = server_id
        self._dev_index = dev_index

    def is_master_node(self):
        """Whether this is the device of rank 0."""
        return self._index == "0"

    @property
    def index(self):
        """Rank of the device, as text (a pod name in older rank tables)."""
        return self._index


class JobInfo:
    """A job, from its start file or from the environment."""

    def __init__(
        self,
        job_id=0,
        job_config=None,
        heartbeat_time=-1,
        region_id=None,
        ak=None,
        sk=None,
        endpoint_url=None,
        device_info=None,
        rank_table_file=None,
        restart_flag=0,
        local_app_dir=None,
        local_data_dir=None,
        local_checkpoint_dir=None,
        local_log_dir=None,
        local_result_dir=None,
        local_boot_file=None,
        rank_size=1,
    ):
        self._job_id = job_id
        self._job_config = job_config
        self._heartbeat_time = heartbeat_time
        self._region_id = region_id
        self._ak = ak
        self._sk = sk
        self._endpoint_url = endpoint_url
        self._device_info = device_info
        self._rank_table_file = rank_table_file
        self._restart_flag = restart_flag
        self._local_app_dir = local_app_dir
        self._local_data_dir = local_data_dir
        self._local_checkpoint_dir = local_checkpoint_dir
        self._local_log_dir = local_log_dir
        self._local_result_dir = local_result_dir
        self._local_boot_file = local_boot_file
        self._rank_size = rank_size

    @property
    def device_info(self):
        """The device of this process."""
        return self._device_info

    @property
    def rank_table_file(self):
        """Path of the rank table."""
        return self._rank_table_file

    @property
    def local_checkpoint_dir(self):
        """Folder of the checkpoint that training starts from."""
        return self._local_checkpoint_dir

    @property
    def rank_size(self):
        """How many ranks train together."""
        return self._rank_size


class NPUBasics:
    """The job of this process, loaded once."""

    __instance = None
    __has_init = False

    def __new__(cls, file_name):
        """Always the same object."""
        if not cls.__instance:
            cls.__instance = object.__new__(cls)
        return cls.__instance

    def __init__(self, file_name):
        if not self.__has_init:
            self._load_jobinfo(file_name)
            NPUBasics.__has_init = True

    @property
    def jobinfo(self):
        """The JobInfo; AttributeError without JOB_ID or a start file."""
        if self._jobinfo is None:
            raise AttributeError(
                "NPUBasics has no job information: set the environment variable JOB_ID before "
                "distributed optimizers are used."
            )
        return self._jobinfo

    def _load_jobinfo(self, file_name):
        if file_name and os.path.isfile(file_name):
            self._jobinfo = _from_file(file_name)
        elif os.getenv("JOB_ID"):
            self._jobinfo = _from_environment()
        else:
            self._jobinfo = None


def load_job(file_name):
    """Return the job; raise ValueError if neither a file nor the environment describes it."""
    basics = NPUBasics(file_name)
    try:
        return basics.jobinfo
    except AttributeError:
        # variables may have been set since the singleton was made
        basics._load_jobinfo(file_name)
    if basics._jobinfo is None:
        raise ValueError(
            "Load job info failed, please check whether `JOB_ID` is set in environment variable"
        )
    return basics._jobinfo


def _from_file(file_name):
    with open(file_name, encoding="utf-8") as start_file:
        content = json.load(start_file)
    device = content.get("device_info", {})
    return JobInfo(
        job_id=content.get("job_id", 0),
        device_info=DeviceInfo(index=str(device.get("Index", "0"))),
        rank_table_file=content.get("rank_table_file"),
        local_checkpoint_dir=content.get("local_checkpoint_dir"),
        rank_size=int(content.get("rank_size", 1)),
    )


def _from_environment():
    return JobInfo(
        job_id=os.getenv("JOB_ID"),
        heartbeat_time=os.getenv("HEARTBEAT"),
        device_info=DeviceInfo(index=os.getenv("POD_NAME") or os.getenv("RANK_ID", "0")),
        rank_table_file=os.getenv("RANK_TABLE_FILE"),
        local_checkpoint_dir=os.getenv("LOCAL_CHECKPOINT_DIR"),
        rank_size=int(util.get_ranksize()),
    )
