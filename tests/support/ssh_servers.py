"""SSH servers on loopback, for the tests: a port each, all of them this machine.

    python ssh_servers.py FOLDER

Writes FOLDER/config, an ssh_config that knows them by name, says ``ready``, and serves until its
standard input ends. A line ``drop`` there cuts all connections, as a broken network would.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
from pathlib import Path

import asyncssh

CONNECTIONS: list[asyncssh.SSHServerConnection] = []


class Server(asyncssh.SSHServer):
    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        CONNECTIONS.append(conn)


async def serve(process: asyncssh.SSHServerProcess[bytes], path: str) -> None:
    """Run a command with the user's shell, as sshd does."""
    started = await asyncio.create_subprocess_exec(
        "/bin/sh",
        "-c",
        process.command or "exit 1",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": path, "HOME": os.environ.get("HOME", "/")},
    )
    assert started.stdin is not None
    assert started.stdout is not None
    assert started.stderr is not None
    feeding = asyncio.create_task(feed(process, started.stdin))
    await asyncio.gather(
        pass_on(started.stdout, process.stdout), pass_on(started.stderr, process.stderr)
    )
    process.exit(await started.wait())
    feeding.cancel()


async def feed(process: asyncssh.SSHServerProcess[bytes], command: asyncio.StreamWriter) -> None:
    """Pass on what comes over the connection, until it or the command ends."""
    with contextlib.suppress(OSError, asyncssh.Error):
        while data := await process.stdin.read(1 << 16):
            command.write(data)
            await command.drain()
    command.close()


async def pass_on(source: asyncio.StreamReader, target: asyncssh.SSHWriter[bytes]) -> None:
    with contextlib.suppress(OSError, asyncssh.Error):
        while data := await source.read(1 << 16):
            target.write(data)
            await target.drain()


async def listen(folder: Path, key: asyncssh.SSHKey, path: str = os.environ["PATH"]) -> int:
    async def handle(process: asyncssh.SSHServerProcess[bytes]) -> None:
        await serve(process, path)

    server = await asyncssh.create_server(
        Server,
        "127.0.0.1",
        0,
        server_host_keys=[key],
        authorized_client_keys=str(folder / "mine.pub"),
        process_factory=handle,
        encoding=None,
    )
    return int(server.get_port())


def entry(folder: Path, name: str, port: int, identity: str, known: str) -> str:
    return f"""
Host {name}
    HostName 127.0.0.1
    Port {port}
    User tester
    IdentityFile {folder / identity}
    IdentitiesOnly yes
    UserKnownHostsFile {folder / known}
    GlobalKnownHostsFile /dev/null
"""


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


async def main(folder: Path) -> None:
    host = asyncssh.generate_private_key("ssh-ed25519")
    for name in ("mine", "strange"):
        key = asyncssh.generate_private_key("ssh-ed25519")
        key.write_private_key(folder / name)
        key.write_public_key(folder / f"{name}.pub")
        (folder / name).chmod(0o600)
    ports = {name: await listen(folder, host) for name in ("first", "second")}
    ports["bare"] = await listen(folder, host, "/var/empty")
    public = host.export_public_key().decode().strip()
    lines = [f"[127.0.0.1]:{port} {public}" for port in ports.values()]
    (folder / "known").write_text("\n".join(lines) + "\n")
    (folder / "unknown").write_text("")
    config = [entry(folder, name, port, "mine", "known") for name, port in ports.items()]
    config.append(entry(folder, "locked", ports["first"], "strange", "known"))
    config.append(entry(folder, "new", ports["first"], "mine", "unknown"))
    config.append(entry(folder, "off", free_port(), "mine", "known"))
    (folder / "config").write_text("".join(config))
    print("ready", flush=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        if line.strip() == "drop":
            for connection in CONNECTIONS:
                connection.abort()
            CONNECTIONS.clear()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
