"""Resources of the MIMIC-IV demo on FHIR, where it is at hand."""

import gzip
import json
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

DEMO = Path(__file__).resolve().parents[3] / "../shared/data/mimic-iv-demo-fhir"


@cache
def demo_samples(resource_type: str, number: int) -> list[dict[str, Any]]:
    """The first resources of each of the demo's files for a type; none without the demo."""
    return [
        resource
        for file in sorted(DEMO.glob("*.ndjson.gz"))
        for resource in islice(map(json.loads, gzip.open(file)), number)
        if resource["resourceType"] == resource_type
    ]
