"""Whom a model is asked from: one row a provider, with its keys and where it lives."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from clew.words.errors import AgentFailed, UsageError
from clew.words.redaction import LEAST
from clew.words.settings import Settings

if TYPE_CHECKING:
    from pydantic_ai.models import Model

__all__ = ["EXTRA", "MODULE", "PROVIDERS", "Access", "access", "installed"]

EXTRA, MODULE = "llm", "pydantic_ai"
NO_KEY = "none"  # what a server that wants no key is given


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """One protocol: how a model of it is made from its name, a key, and where it lives."""

    keys: tuple[str, ...]  # variables, the first one that is set counts
    base_url: str  # variable
    model: Callable[[str, str, str | None], Model]


def _anthropic(name: str, key: str, url: str | None) -> Model:
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415 - an extra, and slow
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415 - as above

    return AnthropicModel(name, provider=AnthropicProvider(api_key=key, base_url=url))


def _google(name: str, key: str, url: str | None) -> Model:
    from pydantic_ai.models.google import GoogleModel  # noqa: PLC0415 - as above
    from pydantic_ai.providers.google import GoogleProvider  # noqa: PLC0415 - as above

    return GoogleModel(name, provider=GoogleProvider(api_key=key, base_url=url))


def _openai(name: str, key: str, url: str | None) -> Model:
    """Ask OpenAI itself for responses, and everybody else for chat completions."""
    if url is None:
        return _openai_responses(name, key, url)
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415 - as above
    from pydantic_ai.providers.openai_compatible import (  # noqa: PLC0415 - as above
        OpenAICompatibleProvider,
    )

    provider = OpenAICompatibleProvider("openai-compatible", base_url=url, api_key=key)
    return OpenAIChatModel(name, provider=provider)


def _openai_responses(name: str, key: str, url: str | None) -> Model:
    from pydantic_ai.models.openai import OpenAIResponsesModel  # noqa: PLC0415 - as above
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415 - as above

    return OpenAIResponsesModel(name, provider=OpenAIProvider(api_key=key, base_url=url))


PROVIDERS = {
    "anthropic": Provider(
        keys=("ANTHROPIC_API_KEY",), base_url="ANTHROPIC_BASE_URL", model=_anthropic
    ),
    "google": Provider(
        keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        base_url="GOOGLE_GEMINI_BASE_URL",
        model=_google,
    ),
    "openai": Provider(keys=("OPENAI_API_KEY",), base_url="OPENAI_BASE_URL", model=_openai),
    "openai-responses": Provider(
        keys=("OPENAI_API_KEY",), base_url="OPENAI_BASE_URL", model=_openai_responses
    ),
}


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """A model by its name, and how to get at it; `url` is None where the provider itself lives."""

    provider: str
    name: str
    url: str | None = None

    @property
    def key(self) -> str:
        """The person's key, read when it is needed and kept nowhere. Raises AgentFailed."""
        names = PROVIDERS[self.provider].keys
        key = next((os.environ[name] for name in names if os.environ.get(name)), "")
        if not key and self.url is None:
            raise AgentFailed(
                f"there is no key for {self.provider}",
                kind="not_logged_in",
                hint=f"Set {' or '.join(names)}.",
            )
        return key or NO_KEY

    def hidden(self, words: str) -> str:
        """Return words without the person's key; one too short to be secret stands in many."""
        key = self.key
        return words.replace(key, "…") if len(key) >= LEAST else words

    def model(self) -> Model:
        """Return the model, ready to be asked. Raises AgentFailed (not_logged_in)."""
        return PROVIDERS[self.provider].model(self.name, self.key, self.url)


def installed() -> bool:
    """Whether the extra is there."""
    return find_spec(MODULE) is not None


def access(words: str, settings: Settings) -> Access:
    """Read PROVIDER:MODEL. Raises UsageError."""
    provider, _, name = words.partition(":")
    if provider not in PROVIDERS or not name:
        raise UsageError(
            f"llm:{words[:80]} names no model of a provider",
            hint=f"Write llm:PROVIDER:MODEL; providers are {', '.join(PROVIDERS)}.",
        )
    return Access(provider=provider, name=name, url=_url(provider, settings))


def _url(provider: str, settings: Settings) -> str | None:
    variable = PROVIDERS[provider].base_url
    url = settings.base_urls.get(provider) or None
    if url is None:
        return os.environ.get(variable) or None
    if not _of_this_machine(url):
        source = settings.sources.get("base_urls", "the settings")
        raise UsageError(
            f"{source}: base_urls may only name servers of this machine, and {url} is not one",
            hint=f"Your key would go there: set {variable} yourself if that is meant.",
        )
    return url


def _of_this_machine(url: str) -> bool:
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
