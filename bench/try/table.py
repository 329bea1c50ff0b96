"""The tables of the result: `results.tsv` with a row for each program and JDK, and the sums in Markdown."""

from collections import Counter, defaultdict

from judge import AGREED_POINTS, Row


def write(path, rows):
    lines = ["\t".join(Row.names()), *("\t".join(row.cells()) for row in rows)]
    path.write_text("\n".join(lines) + "\n")


def share(part, whole):
    return f"{part} of {whole} ({100 * part / whole:.0f} %)" if whole else "none"


def sums(rows, jdks):
    """The sums in Markdown, a column for each JDK."""
    columns = [[row for row in rows if row.jdk == jdk] for jdk in jdks]
    lines = [
        ("programs whose known finding can be tried", lambda rows: share(sum(bool(row.remedy) for row in rows), len(rows))),
        ("the same, without programs whose cause is only a hot path", without_hot_paths),
        ("findings of these programs that can be tried", lambda rows: share(sum(row.can_be_tried for row in rows),
                                                                            sum(row.findings for row in rows))),
        ("trials with a verdict", lambda rows: share(sum(row.tried_percent != "" for row in rows),
                                                     sum(bool(row.remedy) for row in rows))),
        (f"kept remedies: saving within {AGREED_POINTS} points of the fix", lambda rows: agreeing(rows, "kept", ("yes",))),
        ("kept remedies: within these points, or the intervals overlap", lambda rows: agreeing(rows, "kept", ("yes", "noise"))),
        ("bound remedies: saving at least that of the fix", lambda rows: agreeing(rows, "bound", ("yes",))),
        ("bound remedies: at least that, or the intervals overlap", lambda rows: agreeing(rows, "bound", ("yes", "noise"))),
        (f"patches: saving within {AGREED_POINTS} points of the trial", lambda rows: share_with(rows, "patch_agrees", ("yes",))),
        ("patches: within these points, or the intervals overlap", lambda rows: share_with(rows, "patch_agrees", ("yes", "noise"))),
    ]
    head = ["", *(f"JDK {jdk}" for jdk in jdks)]
    table = [head, ["---"] * len(head), *([title, *map(value, columns)] for title, value in lines)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in table)


def without_hot_paths(rows):
    rows = [row for row in rows if row.cause != "hot-path"]
    return share(sum(bool(row.remedy) for row in rows), len(rows))


def agreeing(rows, promise, words):
    return share_with([row for row in rows if row.promise == promise], "agrees", words)


def share_with(rows, column, words):
    """The share of rows with one of these words in a column, of all rows with a word there."""
    found = [getattr(row, column) for row in rows if getattr(row, column)]
    return share(sum(word in words for word in found), len(found))


def missing_remedies(rows):
    """The causes that cannot be tried, most frequent first, each with its programs and reasons."""
    programs, reasons = defaultdict(set), defaultdict(Counter)
    for row in rows:
        if not row.remedy:
            programs[row.cause].add(row.program)
            reasons[row.cause][row.reason] += 1
    by_count = sorted(programs, key=lambda cause: (-len(programs[cause]), cause))
    lines = ["| programs | cause | names | most frequent reason |", "|---|---|---|---|"]
    for cause in by_count:
        names = ", ".join(sorted(programs[cause]))
        lines.append(f"| {len(programs[cause])} | `{cause}` | {names} | {reasons[cause].most_common(1)[0][0]} |")
    return "\n".join(lines)
