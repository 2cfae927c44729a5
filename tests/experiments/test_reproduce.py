from __future__ import annotations

from html.parser import HTMLParser

from sailplan.experiments.reproduction import QUICK_LABEL, Reproduction
from tests.experiments.tiny import FAMILIES


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attributes if name in ("src", "href", "srcset", "action")]

    def handle_data(self, data: str) -> None:
        self.words.append(data.strip())


def test_the_page_holds_all_of_it_and_links_to_nothing(made: Reproduction) -> None:
    text = (made.out / "report.html").read_text()
    page = Page(text)
    assert len(page.links) == page.tags.count("img") == 4  # snapshots, adaptation, two plots
    assert all(link.startswith("data:image/png;base64,") for link in page.links)
    assert not {"link", "iframe", "object"} & set(page.tags)
    # The player, and a recording for each family; a script from elsewhere would be among the links.
    assert page.tags.count("script") == 1 + len(FAMILIES)
    assert "url(" not in text
    assert "@import" not in text


def test_the_page_tells_how_it_was_made(made: Reproduction) -> None:
    words = Page((made.out / "report.html").read_text()).words
    assert f"Trained with {QUICK_LABEL}." in words
    for word in ("oracle_probability", "learning_rate", "100,50", "numpy", "torch", "sailplan", "left out: no path"):
        assert word in words
    for family in FAMILIES:
        assert f"sail-{family}-0" in words
        assert f"{family}: 5 worlds, {QUICK_LABEL}" in words
