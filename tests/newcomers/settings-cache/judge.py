from service import DEFAULTS, SettingsService
from store import Store
from views import table_header


def test_what_is_changed_and_not_saved_is_kept_nowhere():
    service = SettingsService(Store())
    for user in ("ann", "bob"):
        assert table_header(service, user, ["owner"]) == "name | date | owner"
        assert table_header(service, user, ["owner"]) == "name | date | owner"
        assert service.get(user) == {"theme": "light", "columns": ["name", "date"], "page": 20}
    assert DEFAULTS["columns"] == ["name", "date"]


def test_the_order_of_columns_is_kept():
    service = SettingsService(Store())
    service.save("ann", {"columns": ["size", "name"]})
    assert table_header(service, "ann") == "size | name"
    assert service.get("ann")["page"] == 20
