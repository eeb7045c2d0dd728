"""Opening a model: mistakes in its settings are user errors before any trial."""

import asyncio
import subprocess
import sys

import pytest
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.usage import RequestUsage

from tests.cases import for_each
from wardround.core.errors import UserError
from wardround.models import ModelSettings, open_model
from wardround.models.provider import ProviderSource, open_provider

MISTAKES = {
    "gpt-4o": "names no provider: write it as PROVIDER:MODEL",
    "openai:": "names no provider",
    "nobody:m": "provider 'nobody' of model 'nobody:m' is not known",
    "openai:gpt-4o-mini": "needs a key: set the environment variable OPENAI_API_KEY",
    "deepseek:deepseek-chat": "set the environment variable DEEPSEEK_API_KEY",
    "anthropic:claude-sonnet-4-5": r"pip install 'pydantic-ai-slim\[anthropic\]'",
    "google:gemini-2.5-pro": r"pip install 'pydantic-ai-slim\[google\]'",
}


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "DEEPSEEK_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@for_each(MISTAKES)
def test_a_model_that_cannot_be_opened_is_a_user_error(name: str) -> None:
    with pytest.raises(UserError, match=MISTAKES[name]) as caught:
        open_model(ModelSettings(name=name))
    assert "\n" not in str(caught.value)


def test_a_base_url_is_for_openai_compatible_models() -> None:
    settings = ModelSettings(name="anthropic:m", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(UserError, match="are named openai:m"):
        open_model(settings)


def test_a_base_url_has_a_scheme() -> None:
    with pytest.raises(UserError, match="must start with http"):
        open_model(ModelSettings(name="openai:m", base_url="127.0.0.1:8000/v1"))


@pytest.mark.parametrize("base_url", [None, "http://127.0.0.1:9/v1"])
def test_a_key_variable_that_is_not_set_is_named(base_url: str | None) -> None:
    settings = ModelSettings(name="openai:m", base_url=base_url, api_key_env="WARD_KEY")
    with pytest.raises(UserError, match="WARD_KEY, which `api_key_env` of model 'openai:m' names"):
        open_model(settings)


def test_a_named_key_opens_a_provider_and_its_own_retries_are_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WARD_KEY", "secret")
    model = open_provider(ModelSettings(name="openai:gpt-4o-mini", api_key_env="WARD_KEY"))
    client = model.client  # type: ignore[attr-defined]
    assert (client.api_key, client.max_retries) == ("secret", 0)
    asyncio.run(client.close())


@pytest.mark.parametrize(
    ("model", "price"), [("gpt-4o-mini", pytest.approx(0.15 + 0.60)), ("nobody-knows-it", None)]
)
def test_cost_is_dollars_where_the_price_is_known(
    model: str, price: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    source = ProviderSource(ModelSettings(name=f"openai:{model}"))
    usage = RequestUsage(input_tokens=1_000_000, output_tokens=1_000_000)
    response = ModelResponse(
        [TextPart("hi")], usage=usage, model_name=model, provider_name="openai"
    )
    assert source._cost(response, 1, 1) == price
    asyncio.run(source.close())


@pytest.mark.integration
def test_importing_models_imports_no_provider() -> None:
    script = (
        "import sys, wardround.models, wardround.models.model, wardround.models.messages\n"
        "print({'pydantic_ai', 'openai', 'httpx2', 'tiktoken'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"


@pytest.mark.integration
def test_a_request_imports_no_telemetry_and_no_tokenizer() -> None:
    script = (
        "import sys\nfrom wardround.models import ModelSettings, open_model\n"
        "open_model(ModelSettings(name='openai:m', base_url='http://127.0.0.1:9/v1'))\n"
        "print({'logfire', 'tiktoken', 'transformers', 'tokenizers'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"
