"""A separate network without any privilege: user and network namespace, one link, one route.

Both ends of the link are in the namespace. Only the sender's end has an address, so that only the packet socket
receives the data at the far end.
"""

import array
import ctypes
import errno
import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from studies.live.kernel.segments import Addresses

SENDER_LINK, FAR_LINK = "ff-sender", "ff-far"
SENDER_IP, FAR_IP = "10.99.0.1", "10.99.0.2"
_SENDER_MAC, _FAR_MAC = bytes.fromhex("02ff00000001"), bytes.fromhex("02ff00000002")
#: Addresses of frames that the far end writes.
TO_SENDER = Addresses(_FAR_MAC, _SENDER_MAC, socket.inet_aton(FAR_IP), socket.inet_aton(SENDER_IP))

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000  # CLONE_NEWUSER, CLONE_NEWNET
_SET_TIMER_SLACK = 29  # prctl(2)
_ETHTOOL, _SET_TSO, _SET_GSO = 0x8946, 0x1F, 0x24
_USEC_TIMESTAMPS = 1 << 4  # RTAX_FEATURE_TCP_USEC_TS, Linux 6.7
_IP_COMMAND_S = 10


class UnavailableError(Exception):
    """The kernel cannot be recorded here; the text is the reason."""


def enter() -> None:
    """Move this process into its own user and network namespace, with all rights there. It must have one thread."""
    if sys.platform != "linux":
        raise UnavailableError("needs Linux")
    if shutil.which("ip") is None:
        raise UnavailableError("needs the command ip (iproute2)")
    user, group = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_USER | _NEW_NETWORK) != 0:
        raise UnavailableError(f"own user and network namespaces: {os.strerror(ctypes.get_errno())}")
    try:
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1", encoding="ascii")
    except OSError as error:
        raise UnavailableError(f"own user namespace: {error}") from error
    libc.prctl(_SET_TIMER_SLACK, 1, 0, 0, 0)


def make_link(payload_bytes: int, header_bytes: int) -> None:
    """Make both ends of the link. Segments have at most ``payload_bytes`` of data."""
    for name in ("all", "default"):
        _set(f"ipv6/conf/{name}/disable_ipv6", "1")
    _set("ipv4/tcp_no_metrics_save", "1")
    _set("ipv4/tcp_timestamps", "2")  # without a random offset for each connection
    _set("ipv4/tcp_wmem", "4096 33554432 33554432")
    mtu = payload_bytes + header_bytes
    _ip(
        f"link add {SENDER_LINK} mtu {mtu} address {_text(_SENDER_MAC)} txqueuelen 20000 type veth peer name {FAR_LINK} mtu {mtu}",
        f"addr add {SENDER_IP}/24 dev {SENDER_LINK}",
        f"link set {SENDER_LINK} arp off up",
        f"link set {FAR_LINK} arp off up",
        f"neigh add {FAR_IP} lladdr {_text(_FAR_MAC)} dev {SENDER_LINK} nud permanent",
    )
    for command in (_SET_TSO, _SET_GSO):
        _offload_off(command)


def add_route(initial_window: int) -> bool:
    """Add a route with this initial window, in packets. Return whether its timestamps count microseconds."""
    for features in (_USEC_TIMESTAMPS, 0):
        code = _ask_route(route_message(socket.if_nametoindex(SENDER_LINK), initial_window, features))
        if code == 0:
            return features != 0
        if code != errno.EINVAL:
            break
    raise UnavailableError(f"a route to the far end: {os.strerror(code)}")


def route_message(link: int, initial_window: int, features: int) -> bytes:
    """Return the netlink message for the route. Only the newest versions of ip support the newest feature."""
    metrics = _attribute(11, struct.pack("=I", initial_window))  # RTAX_INITCWND
    if features:
        metrics += _attribute(12, struct.pack("=I", features))  # RTAX_FEATURES
    body = struct.pack("=8BI", socket.AF_INET, 32, 0, 0, 254, 4, 253, 1, 0)  # main table, static, scope link, unicast
    body += _attribute(1, socket.inet_aton(FAR_IP)) + _attribute(4, struct.pack("=I", link)) + _attribute(8, metrics)
    return (
        struct.pack("=IHHII", 16 + len(body), 24, 0x1 | 0x4 | 0x200 | 0x400, 1, 0) + body
    )  # RTM_NEWROUTE; answer, new


def _attribute(kind: int, content: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(content), kind) + content + bytes(-len(content) % 4)


def _ask_route(message: bytes) -> int:
    """Send a message to the kernel's routing; return the error number of the answer."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as routing:
        routing.settimeout(_IP_COMMAND_S)
        routing.send(message)
        (code,) = struct.unpack_from("=i", routing.recv(4096), 16)
    return -int(code)


def _ip(*lines: str) -> None:
    done = subprocess.run(
        ["ip", "-batch", "-"],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
        timeout=_IP_COMMAND_S,
    )
    if done.returncode:
        raise UnavailableError(f"ip: {done.stderr.strip()}")


def _set(name: str, value: str) -> None:
    """Set a parameter of the namespace. Ignore parameters that the kernel does not have."""
    with suppress(FileNotFoundError):
        Path(f"/proc/sys/net/{name}").write_text(value, encoding="ascii")


def _text(mac: bytes) -> str:
    return mac.hex(":")


def _offload_off(command: int) -> None:
    """Turn off segmentation offload, so that every segment crosses the link separately."""
    value = array.array("I", [command, 0])
    request = struct.pack("16sP16x", SENDER_LINK.encode(), value.buffer_info()[0])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket, suppress(OSError):
        fcntl.ioctl(any_socket, _ETHTOOL, request)
