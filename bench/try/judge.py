"""Compares what `whittle try` measured with what the real fix saves. All savings are in percent of the slow program's cost."""

from dataclasses import dataclass, fields

#: A kept remedy agrees with the fix if both savings differ by at most this many points.
AGREED_POINTS = 5


@dataclass
class Saving:
    """A saving with its 95 % interval."""
    value: float
    low: float
    high: float

    @staticmethod
    def of(verification, better):
        """The saving of the first endpoint. `None`: it was not measured."""
        endpoint = verification["endpoints"][0] if verification else {}
        ratios = [endpoint.get(name) for name in ("ratio", "high_ratio", "low_ratio")]
        if None in ratios:
            return None
        if better == "larger":
            value, low, high = (1 / ratio for ratio in (ratios[0], ratios[2], ratios[1]))
            ratios = [value, low, high]
        return Saving(*(100 * (1 - ratio) for ratio in ratios))

    def overlaps(self, other):
        return self.low <= other.high and other.low <= self.high


@dataclass
class Row:
    """A program on a JDK. Empty: not measured."""
    jdk: int
    set: str
    program: str
    cause: str
    #: Findings of the slow program, and those that can be tried.
    findings: int = 0
    can_be_tried: int = 0
    #: Findings with the known cause. The trial changes the places of one of them, the fix all.
    of_cause: int = 0
    #: The pattern of the finding with the known cause, or at the known lines.
    found: str = ""
    place: str = ""
    remedy: str = ""
    promise: str = ""
    endpoint: str = ""
    result: str = ""
    tried_percent: object = ""
    tried_low: object = ""
    tried_high: object = ""
    fixed_percent: object = ""
    fixed_low: object = ""
    fixed_high: object = ""
    #: Saving of the remedy minus saving of the fix, in points.
    difference: object = ""
    #: Whether the remedy keeps its promise: yes, noise (the intervals overlap), or no.
    agrees: str = ""
    #: Saving of the program with the patch of the trial. Only kept remedies have a patch.
    patch_percent: object = ""
    patch_low: object = ""
    patch_high: object = ""
    #: Whether the patch gives what was tried: yes (within the points), noise (the intervals overlap), or no.
    patch_agrees: str = ""
    #: Why there is no patch.
    no_patch: str = ""
    #: The machine's load after the trial and after the verifications.
    loads: str = ""
    #: Why the finding cannot be tried, or why there is no saving.
    reason: str = ""

    @classmethod
    def names(cls):
        return [each.name for each in fields(cls)]

    def cells(self):
        return [f"{value:.1f}" if isinstance(value, float) else str(value).replace("\t", " ") for value in vars(self).values()]

    def add_saving(self, of, saving):
        for name, value in (("percent", saving.value), ("low", saving.low), ("high", saving.high)):
            setattr(self, f"{of}_{name}", value)

    def compare(self, tried, fixed):
        """A kept remedy must save what the fix saves, a bound remedy at least as much."""
        self.difference = tried.value - fixed.value
        points = abs(self.difference) if self.promise == "kept" else -self.difference
        allowed = AGREED_POINTS if self.promise == "kept" else 0
        self.agrees = agreement(points, allowed, (tried, fixed))


def agreement(points, allowed, savings):
    """In a word: whether savings differ by at most the allowed points."""
    tried, other = savings
    return "yes" if points <= allowed else "noise" if tried.overlaps(other) else "no"


def place(finding):
    """`File.java:5`."""
    calling = finding["calling"]
    return f"{calling['file'] or calling['function']}:{calling['line'] or '?'}"


def is_at(finding, lines):
    """Whether the calling line or the line to edit is one of these lines."""
    site = finding["site"]
    places = [finding["calling"], site, *site.get("others", [])]
    return any((place.get("file"), place.get("line")) in lines for place in places)


def known_finding(findings, program):
    """The finding with the program's known cause, at a marked line if there is one. If the cause was not found, the first finding
    at a marked line. A hot path is a place and no cause, so it must be at a marked line."""
    lines = program.calling | program.edit
    of_cause = [finding for finding in findings if finding["detector"] in program.causes]
    marked = [finding for finding in of_cause if is_at(finding, lines)]
    others = [finding for finding in findings if is_at(finding, lines)]
    named = [] if program.causes == ["hot-path"] else of_cause
    return next(iter([*marked, *named, *others]), None)


def judged(measured, again):
    """The row of a program on a JDK. Tries the finding with the known cause, if it can be tried."""
    program = measured.program
    row = Row(measured.jdk, program.set, program.name, "|".join(program.causes), endpoint=program.endpoint)
    view = measured.findings()
    if not view:
        row.reason = "the program could not be collected"
        return row
    findings = view["findings"]
    row.findings = len(findings)
    row.can_be_tried = sum(finding["trial"]["state"] == "possible" for finding in findings)
    row.of_cause = sum(finding["detector"] in program.causes for finding in findings)
    finding = known_finding(findings, program)
    if finding is None:
        first = f"; first: {findings[0]['detector']}" if findings else ""
        row.reason = f"the cause was not found{first}"
        return row
    row.found, row.place, trial = finding["detector"], place(finding), finding["trial"]
    if trial["state"] != "possible":
        row.reason = trial["reason"]
        return row
    row.remedy, row.promise = trial["remedy"], trial["promise"]
    add_savings(row, (measured, finding), again)
    return row


def add_savings(row, trial, again):
    """Tries the finding and measures the fix."""
    measured, finding = trial
    program = measured.program
    answer = measured.tried(finding, again)
    row.result = answer["answer"]["result"] if answer["answer"] else "failed"
    row.loads = f"{answer['load']:.1f}"
    tried = Saving.of(answer["answer"] and answer["answer"]["verification"], program.better)
    if tried is None:
        row.reason = answer["answer"]["words"] if answer["answer"] else answer["error"]
        return
    row.add_saving("tried", tried)
    add_patch(row, (measured, answer["answer"]["patch"], tried), again)
    if "fixed" not in program.mains:
        row.reason = "not compared: the fixed version removes several causes"
        return
    answer = measured.verified(again)
    row.loads += f" {answer['load']:.1f}"
    fixed = Saving.of(answer["answer"], program.better)
    if fixed is None:
        row.reason = f"the fix has no saving: {answer['error']}"
        return
    row.add_saving("fixed", fixed)
    row.compare(tried, fixed)


def add_patch(row, trial, again):
    """Measures the program with the patch of a trial, if there is one."""
    measured, patch, tried = trial
    if not patch["files"]:
        row.no_patch = patch["reason"] or ""
        return
    answer = measured.verified_patch(patch["files"], again)
    row.loads += f" {answer['load']:.1f}"
    patched = Saving.of(answer["answer"], measured.program.better)
    if patched is None:
        row.no_patch = f"the patched program has no saving: {answer['error']}"
        return
    row.add_saving("patch", patched)
    row.patch_agrees = agreement(abs(tried.value - patched.value), AGREED_POINTS, (tried, patched))
