"""What keys look like, each by a made-up one, and what only looks like a key.

Keys are put together here, so that nobody who searches the project for keys finds any.
"""

from __future__ import annotations

__all__ = ["HARMLESS", "KEYS"]

LETTERS = "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD"
HEX = "0123456789abcdef"


def some(length: int) -> str:
    return (LETTERS * 8)[:length]


# what it is a key for: the text around it, with the key in braces
KEYS: dict[str, tuple[str, str]] = {
    "AWS, its name": ("boto: {}", "AK" + "IAQWERTYUIOPASDFGH"[:18]),
    "AWS, for a while": ("id={}", "AS" + "IAQWERTYUIOPASDFGH"[:18]),
    "AWS, the secret": ("aws_secret_access_key = {}", some(40)),
    "GitHub, personal": ("remote: {}", "gh" + "p_" + some(36)),
    "GitHub, of an app": ("x-{}-", "gh" + "s_" + some(36)),
    "GitHub, of fine grain": ("({})", "github" + "_pat_" + some(22) + "_" + some(59)),
    "GitLab": ("token: {}", "gl" + "pat-" + some(20)),
    "OpenAI": ("Incorrect API key provided: {}.", "sk" + "-" + some(48)),
    "OpenAI, of a project": ("'{}'", "sk" + "-proj-" + some(60)),
    "Anthropic": ("x-api-key: {}", "sk" + "-ant-api03-" + some(90)),
    "Google": ("?key={}&x=1", "AI" + "za" + some(35)),
    "Google, a client's": ("{}", "GOC" + "SPX-" + some(28)),
    "Google, a session's": ("{}", "ya" + "29." + some(60)),
    "Slack": ("{}", "xo" + "xb-123456789012-" + some(24)),
    "Slack, of an app": ("{}", "xa" + "pp-1-" + some(40)),
    "Slack, a hook": ("https://hooks.slack.com/services/{}", "T0000/B0000/" + some(24)),
    "a web token": ("cookie={};", f"ey{'J'}{some(20)}.ey{'J'}{some(40)}.{some(43)}"),
    "npm": ("{}", "np" + "m_" + some(36)),
    "npm, in a file": ("//registry.example/:_authToken={}", some(30)),
    "PyPI": ("password = {}", "py" + "pi-AgE" + some(80)),
    "Stripe": ("{}", "sk" + "_live_" + some(24)),
    "Stripe, of hooks": ("{}", "wh" + "sec_" + some(32)),
    "SendGrid": ("{}", "S" + "G." + some(22) + "." + some(43)),
    "Hugging Face": ("{}", "h" + "f_" + some(34)),
    "Docker": ("{}", "dck" + "r_pat_" + some(27)),
    "DigitalOcean": ("{}", "do" + "p_v1_" + HEX * 4),
    "Azure": ("AccountName=x;AccountKey={};", some(64)),
    "age": ("{}", "AGE-SECRET-" + "KEY-1" + "QWERTYUIOP" * 5 + "QWERTYUI"),
    "a header": ("Authorization: Bearer {}", some(24)),
    "a header, as JSON": ('{{"authorization": "Basic {}"}}', some(24)),
    "a login in an address": ("postgresql://me:{}@db.example/x", "correct-horse"),
    "a private key": (
        "before {} after",
        f"-----BEGIN RSA {'PRIVATE'} KEY-----\n{some(64)}\n-----END RSA {'PRIVATE'} KEY-----",
    ),
    "a private key that is cut off": ("{}", f"-----BEGIN {'PRIVATE'} KEY-----\n{some(64)}"),
}

HARMLESS = (
    "commit 46bbf10a2c1f4e5d6b7a8c9d0e1f2a3b4c5d6e7f",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "md5 d41d8cd98f00b204e9800998ecf8427e",
    "id 123e4567-e89b-12d3-a456-426614174000",
    "sk-global-text-repr-fallback and sk-container-id-1",
    "assert token is None, 'a token is missing'",
    "password must have at least 8 characters",
    "tests/test_auth.py::test_password[secret-key] FAILED",
    "http://127.0.0.1:8080/path@2x.png and https://example.org:443/a?b=c@d",
    "git@github.com:owner/name.git",
    "AKIA is a prefix, and ghp_ is one as well; eyJ begins a token",
    "-----BEGIN CERTIFICATE-----",
    "Authorization: none",
    "numpy.float64(0.1234567890123456789) != 1234567890123456789012345678901234567890",
    'File "/home/me/.venv/lib/python3.12/site-packages/secretstorage/keyring_backend.py"',
    "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
)
