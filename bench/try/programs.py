"""The programs with a known problem, in a slow and a fixed version.

    cases         ../shared/cases: two sources each
    development   java/development, sealed: java/sealed, sealed-try: java/sealed-try: one source each; marks make the fixed program
    workloads     java/workloads: the casebook (workloads.tsv)

Programs of the first three sets repeat a unit of work and print what a unit costs."""

import os
import re
import shlex
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("WHITTLE_SHARED", ROOT.parent / "shared"))
JDK_FOLDERS = ("/usr/lib/jvm", "/opt/java", "/usr/java")
#: The line that programs print at their end. The two harnesses use different names.
UNIT_COST = (r"result units=(?<units_count>\d+) (?:wall|elapsed)_us_per_unit=(?<elapsed_us_per_unit>[\d.]+) "
             r"(?:main|work)_cpu_us_per_unit=(?<cpu_us_per_unit>[\d.]+)")
#: A fix that saves more elapsed time than CPU time by this many points saves waiting: elapsed time is compared.
WAITING_POINTS = 10
#: Runs a program and measures it. Sets without it use that of java/sealed.
LOAD = "src/com/acme/load/Load.java"
#: Endings of sources. Java comes first, because programs of all languages use a class in Java.
LANGUAGES = (".java", ".kt", ".scala")
#: Time for the JIT compiler, before a program counts its units of work.
WARM_SECONDS = 1


@dataclass
class Program:
    set: str
    name: str
    #: Accepted names of the cause.
    causes: list
    #: Class names of the versions `slow` and `fixed`. Without `fixed`: no version has only this cause fixed.
    mains: dict
    #: The classes and jars of each version.
    class_paths: dict
    #: The folder with the sources of the slow version.
    sources: Path
    #: Marked lines: (file, line).
    calling: set = field(default_factory=set)
    edit: set = field(default_factory=set)
    metric: str = UNIT_COST
    endpoint: str = "cpu_us_per_unit"
    better: str = "smaller"
    options: tuple = ()

    def command(self, version, java, seconds):
        """The command line of a version."""
        class_path = ":".join(map(str, self.class_paths[version]))
        times = [f"-Dwarm={WARM_SECONDS}", f"-Dseconds={seconds}"] if self.set != "workloads" else []
        options = [word.format(seconds=seconds + WARM_SECONDS, pid=os.getpid()) for word in self.options]
        # A hidden folder: the programs write more or less in it, depending on their speed.
        return [str(java), "-Djava.io.tmpdir=.tmp", *times, "-cp", class_path, self.mains[version], *options]


def rows(path):
    """The rows of a tab-separated table with headings."""
    head, *lines = path.read_text().splitlines()
    names = head.split("\t")
    # Empty cells at the end of a row can be missing.
    cells = ((line.split("\t") + [""] * len(names))[:len(names)] for line in lines)
    return [dict(zip(names, row)) for row in cells]


def java_of(version):
    """The program `java` of a JDK."""
    for release in sorted(path for folder in JDK_FOLDERS for path in Path(folder).glob("*/release")):
        if re.search(rf'^JAVA_VERSION="{version}[."]', release.read_text(), re.MULTILINE):
            return release.parent / "bin/java"
    raise SystemExit(f"JDK {version} is not in {', '.join(JDK_FOLDERS)}")


def compared_endpoint(saved_cpu, saved_elapsed):
    """Elapsed time if the measured savings, in percent, show that the fix saves waiting."""
    saves_waiting = float(saved_elapsed or 0) - float(saved_cpu or 0) > WAITING_POINTS
    return "elapsed_us_per_unit" if saves_waiting else "cpu_us_per_unit"


def has_mark(line, *names):
    """Whether the comment at the end of a line has one of these marks. java/development/README.md explains them."""
    _, found, comment = line.rpartition("// ")
    return bool(found) and any(f"[{name}]" in comment for name in names)


def marked_lines(path, *names):
    lines = enumerate(path.read_text().splitlines(), 1)
    return {(path.name, number) for number, line in lines if has_mark(line, *names)}


def fixed_line(line):
    code = line.lstrip()
    if code.startswith("// [new] "):
        return line[:len(line) - len(code)] + code.removeprefix("// [new] ")
    return f"// {line}" if has_mark(line, "edit", "old") else line


def fixed_source(text):
    """The fixed program. Each line keeps its number."""
    return "".join(fixed_line(line) + "\n" for line in text.splitlines())


def numbers(text, file):
    return {(file, int(number)) for number in text.split(",")}


class Programs:
    """Compiles the programs with a JDK into a folder, if their sources are newer, and knows their class paths."""

    def __init__(self, folder, compiler):
        self.folder, self.javac, self.java = folder, compiler.parent / "javac", compiler
        self.jars = self.compilers()
        self.all = [*self.cases(), *self.marked("development"), *self.marked("sealed"), *self.marked("sealed-try"),
                    *self.workloads()]

    def cases(self):
        if not (SHARED / "cases").is_dir():
            print(f"not run: the cases of the reference data need {SHARED} or WHITTLE_SHARED")
            return
        classes = self.compiled(sorted((SHARED / "cases").rglob("*.java")), "cases")
        for row in rows(SHARED / "cases/cases.tsv"):
            endpoint = compared_endpoint(row["saved_main_cpu_percent"], row["saved_wall_percent"])
            name = row["case"]
            yield Program("cases", name, [row["cause"]], {"slow": f"{name}.Slow", "fixed": f"{name}.Fixed"},
                          {"slow": [classes], "fixed": [classes]}, SHARED / "cases", numbers(row["call_line"].rpartition(":")[2], "Slow.java"),
                          numbers(row["edit_lines_in_Slow"], "Slow.java"), endpoint=endpoint)

    def marked(self, name):
        folder = ROOT / "java" / name
        slow_sources = sorted(path for path in (folder / "src").rglob("*.*") if path.suffix in LANGUAGES)
        if not (folder / LOAD).exists():
            slow_sources.append(ROOT / "java/sealed" / LOAD)
        fixed_sources = [self.fixed(name, path) for path in slow_sources]
        classes = {"slow": self.compiled(slow_sources, f"{name}-slow"), "fixed": self.compiled(fixed_sources, f"{name}-fixed")}
        for row in rows(folder / "programs.tsv"):
            main = row["program"]
            path = next(path for path in slow_sources if path.with_suffix("").as_posix().endswith(main.replace(".", "/")))
            jars = self.libraries(path)
            endpoint = compared_endpoint(row["saved_cpu_percent"], row["saved_elapsed_percent"])
            yield Program(name, main.rpartition(".")[2], row["cause"].split("|"), {"slow": main, "fixed": main},
                          {version: [of, *jars] for version, of in classes.items()}, folder / "src", marked_lines(path, "call"),
                          marked_lines(path, "edit", "or"), endpoint=endpoint)

    def workloads(self):
        folder = ROOT / "java/workloads/target"
        class_path = [folder / "whittle-workloads.jar", folder / "lib/*"]
        for row in rows(Path(__file__).with_name("workloads.tsv")):
            mains = {version: "whittle.workloads." + row[version] for version in ("slow", "fixed") if row[version]}
            yield Program("workloads", row["name"], row["cause"].split("|"), mains, {version: class_path for version in mains},
                          folder.parent / "src/main/java",
                          metric=row["metric"], endpoint=row["endpoint"], better=row["better"],
                          options=tuple(shlex.split(row["options"])))

    def fixed(self, name, slow):
        """Writes the fixed program's source, if it has changed."""
        path = self.folder / f"{name}-fixed-sources" / slow.relative_to(ROOT)
        text = fixed_source(slow.read_text())
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return path

    def compiled(self, sources, name):
        """The folder with the classes."""
        classes = self.folder / "classes" / name
        stamp = classes / ".compiled"
        if stamp.exists() and all(path.stat().st_mtime < stamp.stat().st_mtime for path in sources):
            return classes
        print(f"compiling {name} …", flush=True)
        classes.mkdir(parents=True, exist_ok=True)
        for language in LANGUAGES:
            of_language = [path for path in sources if path.suffix == language]
            if of_language:
                used = ":".join(map(str, [*self.libraries(of_language[0]), classes]))
                compiler = self.compiler(language)
                subprocess.run([*compiler, "-cp", used, "-d", classes, *of_language], check=True, stderr=subprocess.DEVNULL)
        stamp.touch()
        return classes

    def compiler(self, language):
        """The command of a compiler. Those of Kotlin and Scala are Java programs."""
        program = [self.java, "-cp", ":".join(self.jars)]
        return {".java": [self.javac, "-g", "-nowarn", "-encoding", "UTF-8"],
                ".kt": [*program, "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-nowarn", "-no-stdlib", "-no-reflect",
                        "-jvm-target", "17"],
                ".scala": [*program, "dotty.tools.dotc.Main"]}[language]

    def compilers(self):
        """The jars of the compilers of Kotlin and Scala. Maven fetches them."""
        kept = self.folder / "compilers.txt"
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["mvn", "-q", "-B", "-f", ROOT / "java/compilers/pom.xml", "dependency:build-classpath",
                            f"-Dmdep.outputFile={kept}"], check=True)
        return kept.read_text().strip().split(":")

    def libraries(self, source):
        """The jars that a program needs at run time."""
        starts = {".kt": ("kotlin-stdlib-",), ".scala": ("scala-library-", "scala3-library_3-")}.get(source.suffix, ())
        return [jar for jar in self.jars if Path(jar).name.startswith(starts)]
