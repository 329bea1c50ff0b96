"""Gets two facts from the kernel: how many BPF programs trace system calls, and how long BPF programs ran.

Tracers of other users make every system call more expensive. Therefore slices with such a tracer are not used."""

import ctypes
import os
import struct

BPF_SYSCALL = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
PROGRAM_NEXT_ID, PROGRAM_BY_ID, DESCRIBE, LINK_BY_ID, LINK_NEXT_ID = 11, 13, 15, 30, 31
LIBC = ctypes.CDLL(None, use_errno=True)


def _bpf(command, attributes):
    buffer = ctypes.create_string_buffer(attributes, 128)
    result = LIBC.syscall(BPF_SYSCALL, command, buffer, 128)
    return result, buffer.raw


def _ids(next_command):
    found = 0
    while True:
        result, answer = _bpf(next_command, struct.pack("=III", found, 0, 0))
        if result < 0:
            return
        found = struct.unpack_from("=I", answer, 4)[0]
        yield found


def _described(by_id_command, found, description):
    descriptor, _ = _bpf(by_id_command, struct.pack("=III", found, 0, 0))
    if descriptor < 0:
        return False
    address = ctypes.addressof(description)
    result, _ = _bpf(DESCRIBE, struct.pack("=IIQ", descriptor, len(description), address))
    os.close(descriptor)
    return result == 0


def tracers_of_calls():
    """Number of BPF programs that run at the start or end of every system call."""
    count = 0
    for link in _ids(LINK_NEXT_ID):
        name, description = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
        struct.pack_into("=QI", description, 16, ctypes.addressof(name), len(name))
        if _described(LINK_BY_ID, link, description):
            count += name.value in (b"sys_enter", b"sys_exit")
    return count


def run_times(names):
    """Nanoseconds and runs of the newest program of each name. The kernel counts if kernel.bpf_stats_enabled is 1."""
    found = {}
    for program in _ids(PROGRAM_NEXT_ID):
        description = ctypes.create_string_buffer(232)
        if _described(PROGRAM_BY_ID, program, description):
            name = description.raw[64:80].rstrip(b"\0").decode()
            if name in names:
                found[name] = struct.unpack_from("=QQ", description.raw, 192)
    return found
