"""The compared tools: how to start each tool on a running process, and how to end it."""

import os
import shutil
import signal
import subprocess
import time

from tracers import tracers_of_calls

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
WHITTLE = os.path.join(ROOT, "target/release/whittle")
#: Longest time that a tool can take to start.
LONGEST_START_SECONDS = 10


class Tool:
    """A tool that observes a running process. `tracers`: number of its BPF programs that run at each system call."""

    tracers = 0

    def __init__(self, name, command, work, settle_seconds=0.7):
        self.name, self.command, self.work, self.settle_seconds = name, command, work, settle_seconds

    def is_present(self):
        return shutil.which(self.command(0)[0]) is not None

    def start(self, pid):
        log = open(os.path.join(self.work, "tool.log"), "w")
        self.process = subprocess.Popen(self.command(pid), stdout=log, stderr=log)
        end = time.monotonic() + LONGEST_START_SECONDS
        while self.tracers and tracers_of_calls() < self.tracers and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(self.settle_seconds)
        if self.process.poll() is not None:
            raise SystemExit(f"{self.name} ended by itself: {open(log.name).read()}")

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


class Whittle(Tool):
    """`on`: the observed process, if it is not the measured process. `program`: the version of whittle."""

    def __init__(self, name, work, options=(), on=None, tracers=2, program=WHITTLE):
        experiment = os.path.join(work, "tool.whittle")
        command = lambda pid: [program, "collect", "-q", "-f", "-o", experiment, *options, "-p", str(on or pid)]
        super().__init__(name, command, work)
        self.tracers, self.experiment = tracers, experiment


class AsyncProfiler(Tool):
    """async-profiler's own CPU engine, loaded into the JVM in the same way as users load it."""

    def __init__(self, work, java, library):
        super().__init__("async-profiler cpu", None, work)
        self.java, self.library, self.recording = java, library, os.path.join(work, "tool.jfr")

    def is_present(self):
        return os.path.exists(self.library)

    def start(self, pid):
        self.pid = pid
        self._tell(f"start,event=cpu,interval=10ms,jfr,file={self.recording}")
        time.sleep(self.settle_seconds)

    def end(self):
        self._tell(f"stop,file={self.recording}")

    def _tell(self, options):
        jcmd = os.path.join(os.path.dirname(self.java), "jcmd")
        command = [jcmd, str(self.pid), "JVMTI.agent_load", self.library, f'"{options}"']
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def tools_for_native(work):
    """All tools that can count the system calls of a running process, and whittle without these counts."""
    bpftrace_count = (
        "tracepoint:raw_syscalls:sys_exit /pid == {0}/ {{ @calls[tid, args->id] = count(); }} "
        "tracepoint:raw_syscalls:sys_enter /pid == {0}/ {{ @files[tid, args->id, args->args[0]] = count(); }}"
    )
    bare = Tool("two empty BPF programs (the mechanism)", lambda pid: [work + "/hold_programs", work + "/empty.bpf.o"], work)
    bare.tracers = 2
    return [
        bare,
        Whittle("whittle --events cpu", work, ["--events", "cpu"], tracers=0),
        Whittle("whittle --events syscalls", work, ["--events", "syscalls"]),
        Whittle("whittle (default)", work),
        Tool("bpftrace, counts by thread, call, descriptor", lambda pid: ["bpftrace", "-e", bpftrace_count.format(pid)], work, 3),
        Tool("strace -c -f", lambda pid: ["strace", "-c", "-f", "-o", "/dev/null", "-p", str(pid)], work),
        Tool("perf trace -s", lambda pid: ["perf", "trace", "-s", "-o", "/dev/null", "-p", str(pid)], work, 1.5),
    ]
