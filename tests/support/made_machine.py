"""A machine made of a folder tree: fake /usr/local/Ascend, /proc, /dev, commands that answer."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

from ascendify.cluster.doctor.machine import Machine

A2_INFO = """\
+------------------------------------------------------------------------------------------------+
| npu-smi 24.1.rc3                 Version: 24.1.rc3                                             |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B3               | OK            | 97.5        41                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3379 / 65536         |
+===========================+===============+====================================================+
| 1     910B3               | {health:13} | 93.9        40                0    / 0             |
| 0                         | 0000:C2:00.0  | 0           0    / 0          {used}/ 65536         |
+===========================+===============+====================================================+
+---------------------------+---------------+----------------------------------------------------+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
| No running processes found in NPU 0                                                            |
+===========================+===============+====================================================+
{processes}
+===========================+===============+====================================================+
"""
NEEDED_BY_CANN = [
    *("numpy", "decorator", "sympy", "cffi", "yaml", "psutil", "google.protobuf", "scipy"),
    *("attr", "requests", "absl"),
]
NO_PROCESS = "| No running processes found in NPU 1 |"
A_PROCESS = (
    "| 1       0                 | 632268        | python3.1          | 30197              |"
)

A3_INFO = """\
+------------------------------------------------------------------------------------------------+
| npu-smi 25.0.rc1.1               Version: 25.0.rc1.1                                           |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip  Phy-ID              | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     Ascend910           | OK            | 178.3       36                0    / 0             |
| 0     0                   | 0000:9D:00.0  | 0           0    / 0          3416 / 65536         |
+------------------------------------------------------------------------------------------------+
| 0     Ascend910           | OK            | -           36                0    / 0             |
| 1     1                   | 0000:9F:00.0  | 0           0    / 0          3191 / 65536         |
+===========================+===============+====================================================+
"""

OLD_INFO = """\
+------------------------------------------------------------------------------+
| npu-smi 1.7.3                     Version: 20.0.0                            |
+-------------------+-----------------+----------------------------------------+
| NPU     Name      | Health          | Power(W)          Temp(C)              |
| Chip    Device    | Bus-Id          | AICore(%)         Memory-Usage(MB)     |
+===================+=================+========================================+
| 0       910A      | OK              | 70.1              45                   |
| 0       0         | 0000:C1:00.0    | 0                 2654 / 15171         |
+===================+=================+========================================+
"""

HEALTH = """\
        NPU ID                         : 1
        Chip Count                     : 1

        Chip ID                        : 0
        Health                         : Alarm

        Health                         : OK
        Chip Name                      : MCU
"""


def a2_info(health: str = "OK", used: str = "3385", processes: str = NO_PROCESS) -> str:
    """Two devices of an A2 server; how the second is."""
    return A2_INFO.format(health=health, used=used, processes=processes)


@dataclass
class Made:
    """A machine under construction."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict)
    free: dict[str, int] = field(default_factory=dict)
    """Part of a path -> bytes that are free there; plenty elsewhere."""
    locked: tuple[str, ...] = ()
    """Names of nodes this user may not open."""
    pid: int = 4242

    def __post_init__(self) -> None:
        self.environment = {
            "HOME": "/home/me",
            "PATH": str(self.root / "commands"),
            **self.environment,
        }
        (self.root / "commands").mkdir(parents=True)
        (self.root / "job").mkdir()

    @property
    def machine(self) -> Machine:
        """As the doctor gets it."""
        return Machine(
            root=self.root,
            environment=self.environment,
            folder="/job",
            pid=self.pid,
            free_bytes=lambda path: next(
                (size for part, size in self.free.items() if part in str(path)), 100 << 30
            ),
            usable=lambda path: path.name not in self.locked,
        )

    def file(self, name: str, text: str = "") -> Made:
        """Write a file."""
        path = self.root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return self

    def link(self, name: str, target: str) -> Made:
        """Make a symbolic link, which need not lead anywhere."""
        path = self.root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)
        return self

    def command(self, name: str, script: str) -> Made:
        """Put a shell script on the PATH."""
        path = self.root / "commands" / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
        return self

    def npu_smi(self, info: str, health: str = "") -> Made:
        """An npu-smi that prints these tables."""
        self.file("/answers/info", info).file("/answers/health", health)
        answers = self.root / "answers"
        return self.command(
            "npu-smi",
            f'[ "$2" = -t ] && exec /bin/cat {answers}/health\nexec /bin/cat {answers}/info',
        )

    def devices(self, count: int, managers: bool = True) -> Made:
        """Device nodes, as plain files."""
        for number in range(count):
            self.file(f"/dev/davinci{number}")
        for name in ("davinci_manager", "devmm_svm", "hisi_hdc") if managers else ():
            self.file(f"/dev/{name}")
        return self

    def hccn(self, *addresses: str) -> Made:
        """/etc/hccn.conf with these addresses."""
        lines = (f"address_{number}={address}" for number, address in enumerate(addresses))
        return self.file("/etc/hccn.conf", "\n".join(lines))

    def driver(self, version: str = "24.1.rc3", firmware: str = "7.5.0.1.129") -> Made:
        """Version files of driver and firmware."""
        self.file(
            "/usr/local/Ascend/driver/version.info",
            f"Version={version}\nascendhal_version=7.35.23\ncompatible_version_fw=[7.0.0,7.7.99]\n",
        )
        return self.file("/usr/local/Ascend/firmware/version.info", f"Version={firmware}\n")

    def cann(self, version: str = "8.2.RC1", used: bool = True) -> Made:
        """A toolkit, and the variables its set_env.sh sets."""
        home = "/usr/local/Ascend/ascend-toolkit"
        self.file(
            f"{home}/{version}/aarch64-linux/ascend_toolkit_install.info",
            f"package_name=Ascend-cann-toolkit\nversion={version}\n",
        )
        self.file(f"{home}/set_env.sh")
        if not (self.root / home.lstrip("/") / "latest").is_symlink():
            self.link(f"{home}/latest", version)
        if used:
            self.environment["ASCEND_HOME_PATH"] = f"{home}/latest"
        return self

    def python(self, version: str = "3.10.12", **packages: str) -> Made:
        """A python on the PATH that has these packages, and all that CANN needs."""
        answer = {
            "version": version,
            "executable": "/env/bin/python",
            "versions": {**packages, "numpy": "1.26.4"},
            "present": [
                *packages,
                *NEEDED_BY_CANN,
            ],
        }
        self.file("/answers/python", f"ANSWER{json.dumps(answer)}\n")
        return self.command("python", f"exec /bin/cat {self.root}/answers/python")

    def real_python(self, path: str = sys.executable) -> Made:
        """An interpreter on the PATH; without a path that of the tests."""
        return self.command("python", f'exec {path} "$@"')

    def process(
        self,
        pid: int,
        *command: str,
        parent: int = 1,
        state: str = "S",
        files: tuple[str, ...] = (),
        readable: bool = True,
        **environment: str,
    ) -> Made:
        """A process under /proc."""
        folder = f"/proc/{pid}"
        name = Path(command[0]).name[:15]
        self.file(f"{folder}/stat", f"{pid} ({name}) {state} {parent} {pid} {pid} 0 -1 4194560")
        self.file(f"{folder}/cmdline", "".join(f"{word}\0" for word in command))
        if readable:
            pairs = "".join(f"{key}={value}\0" for key, value in environment.items())
            self.file(f"{folder}/environ", pairs)
            (self.root / f"proc/{pid}/fd").mkdir(exist_ok=True)
            for number, target in enumerate(files):
                self.link(f"{folder}/fd/{number}", target)
        return self

    def sockets(self, *sockets: tuple[int, str, int]) -> Made:
        """/proc/net/tcp with sockets: port, state in hexadecimal, inode."""
        lines = [
            f"   {number}: 00000000:{port:04X} 00000000:0000 {state} 00000000:00000000 "
            f"00:00000000 00000000     0        0 {inode} 1 0000000000000000 100 0 0 10 0"
            for number, (port, state, inode) in enumerate(sockets)
        ]
        head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid"
        return self.file("/proc/net/tcp", "\n".join([head, *lines]) + "\n")

    def space(self, folder: str, size: int) -> Made:
        """A folder with so many bytes free."""
        self.free[folder] = size
        return self.file(f"{folder}/any")

    def limits(self, files: str = "65535", locked: str = "unlimited", core: str = "0") -> Made:
        """/proc/self/limits."""
        rows = (
            ("Max core file size", core),
            ("Max open files", files),
            ("Max locked memory", locked),
        )
        lines = (f"{name:25} {soft:20} unlimited            units" for name, soft in rows)
        return self.file(
            "/proc/self/limits", "Limit   Soft Limit   Hard Limit\n" + "\n".join(lines)
        )

    def ready(self) -> Made:
        """A healthy A2 server with two devices, where nothing is to be done."""
        return (
            self.devices(2)
            .hccn("192.168.1.1", "192.168.1.2")
            .npu_smi(a2_info())
            .driver()
            .cann()
            .python(torch="2.1.0+cpu", torch_npu="2.1.0.post13")
            .process(1, "systemd", parent=0)
            .sockets((22, "0A", 7))
            .limits()
            .file("/proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n")
            .file("/proc/sys/net/ipv4/ip_local_reserved_ports", "60000-60015\n")
            .file("/proc/sys/kernel/core_pattern", "core\n")
        )
