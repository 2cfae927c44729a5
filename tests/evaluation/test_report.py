from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from PIL import Image

from sailplan.evaluation.metrics import summarise
from sailplan.evaluation.report import write_report
from tests.evaluation.test_records import RECORD


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.sources: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.sources += [value or "" for name, value in attributes if name in ("src", "href")]


def test_the_page_is_self_contained_and_escapes_names(tmp_path: Path) -> None:
    records = [replace(RECORD, family="<b>bold</b>")]
    write_report(tmp_path / "r.html", "T & T", "intro", summarise(records), {"a <picture>": Image.new("RGB", (2, 2))})
    text = (tmp_path / "r.html").read_text()
    links = Links()
    links.feed(text)
    assert links.sources
    assert all(source.startswith("data:image/png;base64,") for source in links.sources)
    assert "<b>bold</b>" not in text
    assert "&lt;b&gt;bold" in text
    assert "T &amp; T" in text
