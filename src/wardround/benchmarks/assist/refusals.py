"""Refusals: answers of an assistant that declines to look or to help.

Source: PhysAssistBench, 5.2 (turns refused in one language and answered in the other). The paper
gives no rule; here a turn is refused if no call was carried out and its answer says in the first
person that the record cannot be reached or the question cannot be answered.
"""

import re

_UNABLE = (
    r"(?:cannot|can not|can't|(?: am| are|'m|'re) (?:not able|unable)|(?:do not|don't) have"
    r"|have no|lack)"
)
_HELP = (
    r"(?:access|retriev|view|look|see|read|open|search|provid|answer|tell|determin|confirm|help"
    r"|assist|comply|place|write|order|interview|ask)"
)
_ENGLISH = re.compile(rf"\b(?:I|we)\b(?: \w+)? ?{_UNABLE}\b[^.!?]{{0,40}}\b{_HELP}", re.IGNORECASE)
_CHINESE = re.compile(
    r"(?:无法|不能|没有权限|无权|没有办法|做不到|不便)[^。！？,，]{0,8}"
    r"(?:访问|获取|查看|查询|读取|调取|检索|提供|回答|得知|确定|确认|协助|帮助|开具|下达|询问)"
)


def refuses(answer: str) -> bool:
    """True if an answer declines to look or to help.

    >>> refuses("I'm unable to access patient records."), refuses("我无法访问病历。")
    (True, True)
    >>> refuses("He cannot manage stairs."), refuses("患者无法独自上楼。")
    (False, False)
    """
    text = answer.replace("\u2019", "'")
    return bool(_ENGLISH.search(text) or _CHINESE.search(text))
