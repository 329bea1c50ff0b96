"""Collects a slow program, and asks whittle: which findings, what does `whittle try` measure, what does `whittle verify` measure?

All answers are kept below a folder, and are used again:

    FOLDER/17/c01/slow.whittle   findings.json   try.json   verify.json   verify-patch.json   try/, verify/: the outputs of the runs
                  patched/       the sources and classes with the patch
"""

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path

from programs import ROOT

WHITTLE = os.environ.get("WHITTLE", str(ROOT / "target/release/whittle"))
RUNS = 3
#: The measured part of each run, in seconds. The collected run is longer, because shares need samples.
SECONDS, COLLECTED_SECONDS = 1.5, 3
COLLECT = ["collect", "--quiet", "--force", "--interval", "5ms"]
#: A command that takes longer hangs.
MOST_SECONDS = 600


class Measured:
    """The answers about one program on one JDK."""

    def __init__(self, folder, program, jdk, java):
        self.folder, self.program, self.jdk, self.java = folder, program, jdk, java
        self.experiment = folder / "slow.whittle"
        #: The programs write here.
        self.scratch = folder / "work"

    def findings(self):
        """The findings of the slow program."""
        classes = self.program.class_paths["slow"][0]
        stamp = classes / ".compiled" if classes.is_dir() else classes
        manifest = self.experiment / "manifest.json"
        if not is_newer(manifest, stamp):
            self.run([*COLLECT, "-o", self.experiment, "--", *self.program.command("slow", self.java, COLLECTED_SECONDS)])
        kept = self.folder / "findings.json"
        # Another version of whittle can have other findings and other remedies.
        if not is_newer(kept, manifest, WHITTLE):
            answer = self.run(["findings", self.experiment, "--json"])
            kept.write_text(json.dumps(answer))
        return json.loads(kept.read_text())["answer"]

    def tried(self, finding, again):
        """The answer of `whittle try` for a finding. The same remedy at the same places is not tried again."""
        trial = {name: value for name, value in finding["trial"].items() if name != "state"}
        kept = self.folder / "try.json"
        known = json.loads(kept.read_text()) if kept.exists() and not again else {}
        if known.get("trial") != trial:
            known = self.run(["try", self.experiment, str(finding["rank"]), *self.comparison("try"), "--patch",
                              "--source-path", self.program.sources, "--",
                              *self.program.command("slow", self.java, SECONDS)])
            kept.write_text(json.dumps({"trial": trial, **known}))
        return known

    def verified(self, again):
        """The answer of `whittle verify` for the slow and the fixed program."""
        is_kept = is_newer(self.folder / "verify.json", self.experiment / "manifest.json")
        return self.verified_with("fixed", "verify.json", again or not is_kept)

    def verified_patch(self, files, again):
        """The same for the slow program and the program with the patch of the trial. `files`: the changed files of the patch."""
        self.compile_patched(files)
        is_kept = is_newer(self.folder / "verify-patch.json", self.folder / "try.json")
        return self.verified_with("patched", "verify-patch.json", again or not is_kept)

    def compile_patched(self, files):
        """Applies a patch to copies of the sources, and compiles them. Their classes are found before those of the slow program."""
        program, folder = self.program, self.folder / "patched"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        sources = []
        for file in files:
            copy = folder / "sources" / Path(file["path"]).name
            copy.parent.mkdir(exist_ok=True)
            subprocess.run(["patch", "--silent", "--output", copy, file["path"]], input=file["diff"], text=True, check=True)
            sources.append(copy)
        class_path = program.class_paths["slow"]
        subprocess.run([self.java.parent / "javac", "-g", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-cp",
                        ":".join(map(str, class_path)), "-d", folder, *sources], check=True, stderr=subprocess.DEVNULL)
        program.class_paths["patched"], program.mains["patched"] = [folder, *class_path], program.mains["slow"]

    def verified_with(self, version, name, is_measured):
        """The answer of `whittle verify` for the slow program and another version, measured or kept in a file."""
        kept = self.folder / name
        if is_measured:
            baseline, candidate = (shlex.join(self.program.command(each, self.java, SECONDS)) for each in ("slow", version))
            answer = self.run(["verify", "--baseline", baseline, "--candidate", candidate, "--finding", "none",
                               "--profiled-runs", "0", *self.comparison("verify")])
            kept.write_text(json.dumps(answer))
        return json.loads(kept.read_text())

    def comparison(self, output):
        """The arguments that a trial and a verification have in common."""
        program = self.program
        return ["--runs", str(RUNS), "--discard", "1", "--metric", program.metric, "--endpoint", program.endpoint,
                "--better", program.better, "--quiet", "--json", "--force", "-o", self.folder / output]

    def run(self, arguments):
        """whittle's answer in JSON, or the reason why there is none, with the load of the machine."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        (self.scratch / ".tmp").mkdir(parents=True)
        try:
            done = subprocess.run([WHITTLE, *arguments], cwd=self.scratch, capture_output=True, text=True, timeout=MOST_SECONDS,
                                  check=False)
        except subprocess.TimeoutExpired:
            return {"answer": None, "error": f"no answer after {MOST_SECONDS} s", "load": os.getloadavg()[0]}
        finally:
            shutil.rmtree(self.scratch, ignore_errors=True)
        answer = json.loads(done.stdout) if done.stdout.startswith("{") else None
        error = None if answer or done.returncode == 0 else " ".join(done.stderr.split())[-300:]
        return {"answer": answer, "error": error, "load": os.getloadavg()[0]}


def is_newer(path, *than):
    """Whether a file exists and is newer than all others."""
    return path.exists() and all(path.stat().st_mtime > os.stat(other).st_mtime for other in than)

