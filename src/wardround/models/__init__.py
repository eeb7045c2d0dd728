"""Language models: chat, structured output, cost, cache, recording and replay."""

from typing import TYPE_CHECKING

from wardround.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from wardround.models.cache import ResponseCache
    from wardround.models.client import LanguageModel, open_model, replayed, scripted
    from wardround.models.exchange import Answer, Request
    from wardround.models.messages import Message, ModelCall, Reply
    from wardround.models.model import Model, ModelSettings
    from wardround.models.recording import Recorder, Recording
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "cache": ("ResponseCache",),
            "client": ("LanguageModel", "open_model", "replayed", "scripted"),
            "exchange": ("Answer", "Request"),
            "messages": ("Message", "ModelCall", "Reply"),
            "model": ("Model", "ModelSettings"),
            "recording": ("Recorder", "Recording"),
        },
    )

__all__ = [
    "Answer",
    "LanguageModel",
    "Message",
    "Model",
    "ModelCall",
    "ModelSettings",
    "Recorder",
    "Recording",
    "Reply",
    "Request",
    "ResponseCache",
    "open_model",
    "replayed",
    "scripted",
]
