"""How two things are compared in words: ages, times and all the rest."""

_WORDS = {
    ("gt", "any"): "{0} is more than {1}",
    ("gte", "any"): "{0} is {1} or more",
    ("lt", "any"): "{0} is less than {1}",
    ("lte", "any"): "{0} is {1} or less",
    ("gt", "age"): "older than {1}",
    ("gte", "age"): "{1} years old or older",
    ("lt", "age"): "younger than {1}",
    ("lte", "age"): "{1} years old or younger",
    ("gt", "time"): "{0} is after {1}",
    ("gte", "time"): "{0} is {1} or later",
    ("lt", "time"): "{0} is before {1}",
    ("lte", "time"): "{0} is {1} or earlier",
    ("gte", "distance"): "{0} is at least {1}",
    ("lte", "distance"): "{0} is at most {1}",
    ("eq", "any"): "{0} is {1}",
    ("neq", "any"): "{0} is not {1}",
}


def compared(operator: str, left: str, right: str, sort: str = "any") -> str:
    """A comparison as a phrase.

    Args:
        operator: "gt", "gte", "lt", "lte", "eq" or "neq".
        left: What is compared.
        right: What it is compared with.
        sort: What `left` is: an "age", a "time" or "any"; "distance" where `right` is so long
            before or after something.

    >>> compared("gte", "time of admission", "2190", "time")
    'time of admission is 2190 or later'
    """
    words = _WORDS.get((operator, sort)) or _WORDS[operator, "any"]
    return words.format(left, right)
