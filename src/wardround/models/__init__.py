"""Language models: chat, structured output, cost, cache, recording and replay."""

from wardround.models.cache import ResponseCache
from wardround.models.client import LanguageModel, open_model, replayed
from wardround.models.exchange import Answer, Request
from wardround.models.messages import Message, ModelCall, Reply
from wardround.models.model import Model
from wardround.models.recording import Recorder, Recording
from wardround.models.scripted import scripted
from wardround.models.settings import ModelSettings

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
