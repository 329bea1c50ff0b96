"""Programs that work on command, and values of several rounds. This file does not depend on the measured tools."""

import statistics
import subprocess
import time

#: The kernel's CPUCLOCK_SCHED. It is a part of the clock id of another process.
CPU_CLOCK_OF_PROCESS = 2


class Commanded:
    """A program that answers each line on its standard input with one line `key=value ...`."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        while self._line() != "ready":
            pass

    @property
    def pid(self):
        return self.process.pid

    def ask(self, line):
        """The program's answer, with numbers as values."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self._line()
        while "=" not in answer.split(" ")[0]:
            # This line is a message from a profiler in the process.
            answer = self._line()
        return {key: int(value) for key, value in (word.split("=") for word in answer.split())}

    def _line(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.process.args} has ended with status {self.process.wait()}")
        return line.strip()

    def cpu_ns(self):
        """CPU time of all threads of the process so far. It is exact, but the JVM's own value has steps of 10 ms."""
        return time.clock_gettime_ns((~self.pid << 3) | CPU_CLOCK_OF_PROCESS)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Figures:
    """One number per round."""

    def __init__(self):
        self.values = []

    def add(self, value):
        self.values.append(value)

    def text(self, digits=0):
        """Median and range."""
        if not self.values:
            return "not measured"
        low, middle, high = (f"{f(self.values):.{digits}f}" for f in (min, statistics.median, max))
        return f"{middle} ({low} to {high})"
