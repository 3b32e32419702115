from clew.runners.guides import commands_in

NOTES = """\
# Project

Run `make lint` first.

```bash
pip install -e .
```

## Running tests

Use `pytest -q` from the root.

```bash
# all of them
$ python -m pytest tests  # quick
```

### One test

    indented

## Style

`black .`
"""


def test_only_code_in_sections_on_testing_counts() -> None:
    """Blocks come before inline code; prompts and comments are not part of a command."""
    assert ["python -m pytest tests", "pytest -q"] == list(commands_in(NOTES))


def test_a_heading_inside_a_block_is_code() -> None:
    """A comment in a block of code opens no section."""
    assert [] == list(commands_in("```sh\n# Tests\npytest\n```\n"))
