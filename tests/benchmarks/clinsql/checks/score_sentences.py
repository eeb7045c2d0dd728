"""Prints how many sentences of a file compile to their check, by form."""

import sys
from collections import Counter

from tests.benchmarks.clinsql.checks.leaf_sentences import sentences


def main() -> None:
    found: Counter[tuple[str, str]] = Counter()
    for each in sentences(sys.argv[1]):
        compiled = each.compiled()
        result = (
            "right" if compiled == each.expected else "no check" if compiled == "none" else "other"
        )
        found[each.form, result] += 1
        if result != "right" and "-q" not in sys.argv:
            print(f"{each.text}\n   expected {each.expected}\n   compiled {compiled}")
    for form in dict.fromkeys(form for form, _ in found):
        print(form, {result: n for (name, result), n in found.items() if name == form})
    print("all", Counter(result for (_, result), n in found.items() for _ in range(n)))


if __name__ == "__main__":
    main()
