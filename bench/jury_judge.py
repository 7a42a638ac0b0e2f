"""Compares what reports say of the programs of bench/jury with their labels."""
from __future__ import annotations

import os
import re
import statistics

from jury.labels import Case

HERE = os.path.dirname(os.path.abspath(__file__))


def source_of(case: Case, half: str) -> str:
    return os.path.join(HERE, "jury", half, case.name + (".cu" if case.language == "cuda" else ".py"))


def fault_lines(path: str) -> list[int]:
    with open(path) as source:
        return [number for number, line in enumerate(source, 1) if re.search(r"(//|#) fault$", line.rstrip())]


def verdicts(report: dict) -> list[dict]:
    """What the report says without being asked for more, and is more than a note."""
    return [each for each in report["findings"] if each["level"] != "note" and each["aside"] is None]


def rounds_ns(times: dict) -> float | None:
    """How long all rounds of the faulty side take natively; half of them are timed."""
    return 2e9 * statistics.median(times["fault"]) if times.get("fault") else None


def predicted_share(right: list[dict], whole_ns: float | None) -> float | None:
    """Of the rounds' time what the repair is said to save; None: the cost is not known. Findings of one rule add up; of
    several rules, which name the same loss, the largest counts."""
    by_rule: dict = {}
    for finding in right:
        if finding["lost_ns"] is not None and whole_ns:
            by_rule[finding["rule"]] = by_rule.get(finding["rule"], 0) + finding["lost_ns"] / whole_ns
    return min(1.0, max(by_rule.values())) if by_rule else None


def line_verdict(right: list[dict], source: str) -> str:
    """Whether one of the findings names a line at fault, as the kernel's own or as that of the call: right, wrong, none."""
    lines = fault_lines(source)
    places = [(each[file], each[line]) for each in right for file, line in (("file", "line"), ("call_file", "call_line"))]
    named = [(os.path.basename(file), line) for file, line in places if file and line]
    if not named:
        return "none"
    return "right" if any(file == os.path.basename(source) and line in lines for file, line in named) else "wrong"


def text_of(finding: dict) -> str:
    file, line = (finding["file"], finding["line"]) if finding["line"] else (finding["call_file"], finding["call_line"])
    return f"{finding['rule']} {finding['subject']}" + (f" ({os.path.basename(file)}:{line})" if file and line else "")


# Below it a repair gains what runs differ by: a fault that this GPU does not have, as a small loss is.
LEAST_GAIN = 0.05


def measured_share(times: dict) -> float | None:
    if not times.get("fault") or not times.get("clean"):
        return None
    return 1 - statistics.median(times["clean"]) / statistics.median(times["fault"])


def of_the_fault(case: Case, finding: dict, report: dict) -> bool:
    """The label names a kernel, which the finding may call otherwise ("copies of whole arrays"), or name beside others. Copies,
    pages and pauses have no name: they are known by rule and line."""
    if finding["kernel_id"] is None:
        return finding["rule"] in case.rules
    ids = {finding["kernel_id"], *finding.get("kernel_ids", ())}
    kernels = [kernel["name"] for kernel in report["kernels"] if kernel["id"] in ids]
    return any(re.search(case.subject, name) for name in [finding["subject"], *kernels])


def judge(case: Case, half: str, reports: dict, times: dict) -> dict:
    """`reports` by side; a program in which nothing is wrong has a clean one only."""
    said = {side: verdicts(report) for side, report in reports.items()}
    alarms = [f"clean: {text_of(each)}" for each in said["clean"] if each["rule"] not in case.also]
    row = {"alarms": alarms, "said": {side: [text_of(each) for each in found] for side, found in said.items()},
           "findings": sum(map(len, said.values())),
           "unpriced": sum(each["lost_ns"] is None for found in said.values() for each in found)}
    if not case.rules:
        return row | {"verdict": "alarm" if alarms else "quiet"}
    of_subject = [each for each in said["fault"] if of_the_fault(case, each, reports["fault"])]
    alarms += [f"fault: {text_of(each)}" for each in said["fault"]
               if each not in of_subject and each["rule"] not in case.also]
    right = [each for each in of_subject if each["rule"] in case.rules]
    line = line_verdict(right, source_of(case, half)) if right else None
    measured, predicted = measured_share(times), predicted_share(right, rounds_ns(times))
    found = {"wrong": "wrong line", None: "missed"}.get(line, "found")
    if not right and measured is not None and measured < LEAST_GAIN:
        found = "no gain"  # the label says fault, this GPU says that its repair gains nothing
    row |= {"verdict": found, "line": line, "measured": measured, "predicted": predicted,
            "others": sorted({each["rule"] for each in of_subject if each not in right})}
    if measured is not None and (predicted is not None or not right) and found != "no gain":
        row["error"] = (predicted or 0) - measured  # what is not reported is said to gain nothing
    return row


def summary(rows: list[dict]) -> dict:
    """Of the rows that were judged. A wrong line counts neither as found nor as a false alarm."""
    faults = [each for each in rows if each["verdict"] in ("found", "wrong line", "missed")]
    found = sum(each["verdict"] == "found" for each in faults)
    alarms = sum(len(each["alarms"]) for each in rows)
    findings = sum(each["findings"] for each in rows)
    errors = [abs(each["error"]) for each in faults if "error" in each]
    return {"faults": len(faults), "found": found, "wrong_lines": sum(each["verdict"] == "wrong line" for each in faults),
            "clean": len(rows) - len(faults), "alarms": alarms, "findings": findings,
            "unpriced": sum(each["unpriced"] for each in rows) / findings if findings else None,
            "recall": found / len(faults) if faults else None,
            "precision": found / (found + alarms) if found + alarms else None,
            "median_error": statistics.median(errors) if errors else None, "worst_error": max(errors, default=None)}


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def table_row(case: Case, row: dict) -> list[str]:
    rules = ", ".join(case.rules) or "-"
    if "why" in row:
        return [case.name, case.kind, rules, f"not judged: {row['why']}", *["-"] * 5]
    verdict = row["verdict"] if row["verdict"] in ("found", "quiet", "no gain") else f"**{row['verdict']}**"
    if row.get("others"):
        verdict += f"; also {', '.join(row['others'])}"
    return [case.name, case.kind, rules, verdict, row.get("line") or "-", percent(row.get("predicted")),
            percent(row.get("measured")), percent(row.get("error")), "; ".join(row["alarms"]) or "-"]


def page(results: dict, halves: dict) -> str:
    """Markdown: of each half its figures and a line a program."""
    text = "# The jury\n"
    for half, cases in halves.items():
        chosen = [case for case in cases if case.name in results]
        if not chosen:
            continue
        sums = summary([results[case.name] for case in chosen if "why" not in results[case.name]])
        text += (f"\n## {half.replace('_', '-')}\n\n"
                 f"- {sums['found']} of {sums['faults']} faults found (recall {percent(sums['recall'])}), "
                 f"{sums['wrong_lines']} more at a wrong line.\n"
                 f"- {sums['alarms']} false alarms (precision {percent(sums['precision'])}), "
                 f"{sums['clean']} programs in which nothing is wrong among the judged.\n"
                 f"- Predicted gain: off by {percent(sums['median_error'])} of the faulty side's time in the median, "
                 f"{percent(sums['worst_error'])} at most.\n"
                 f"- Cost unknown: {percent(sums['unpriced'])} of {sums['findings']} findings.\n\n")
        head = ["case", "kind", "rules", "verdict", "line", "predicted", "measured", "error", "false alarms"]
        rows = [head, ["---"] * len(head), *(table_row(case, results[case.name]) for case in chosen)]
        text += "".join("| " + " | ".join(each.replace("|", "\\|") for each in row) + " |\n" for row in rows)
    return text
