"""The page of a campaign in a real browser: it loads without complaint or network, sorts, filters, plots and links."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from craton.bench.page import results_page
from craton.bench.results import Campaign, RunRecord
from craton.bench.summary import is_solved, summaries
from support.browser import CHROMIUM, Browser, browser
from support.campaigns import campaign, write_campaign

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")

CAMPAIGN = campaign()
FOLDER = "tasks/"  # where all of them are: it is left out of each line


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = write_campaign(CAMPAIGN, tmp_path_factory.mktemp("a campaign #1"))
    (out / "results.html").write_text(results_page(CAMPAIGN), encoding="utf-8")
    return out / "results.html"


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture
def opened(chromium: Browser, page: Path) -> Iterator[Browser]:
    """The page, fresh; afterwards nobody must have complained, and nothing but the page must have been asked for."""
    chromium.complaints.clear()
    chromium.requests.clear()
    chromium.open("about:blank")
    chromium.open(page.as_uri())
    yield chromium
    assert chromium.complaints == []
    foreign = [url for url in chromium.requests if not url.startswith((page.as_uri(), "data:", "about:"))]
    assert foreign == []


def cells(opened: Browser, key: str) -> list[str]:
    """A column of the table of runs, from top to bottom."""
    found: list[str] = opened.evaluate(
        f"(() => {{ const key = {json.dumps(key)};"
        " const at = [...document.querySelectorAll('#runs th')].findIndex(th => th.dataset.key === key);"
        " return [...document.querySelectorAll('#runs tbody tr')].map(row => row.cells[at].textContent); })()"
    )
    return found


def short(run: RunRecord) -> str:
    return run.task.removeprefix(FOLDER)


def chip(group: str, value: str) -> str:
    return f"#by-{group} [data-value={json.dumps(value)}]"


def summary_of(opened: Browser) -> dict[str, dict[str, str]]:
    titles, *rows = opened.evaluate(
        "[...document.querySelectorAll('#summary tr')].map(r => [...r.cells].map(c => c.textContent))"
    )
    return {row[0]: dict(zip(titles, row, strict=True)) for row in rows}


@needs_browser
def test_it_shows_every_run(opened: Browser) -> None:
    assert opened.evaluate("document.getElementById('shown').textContent") == f"{len(CAMPAIGN.runs)} runs"
    opened.evaluate("document.getElementById('results').scrollTop = 1e9")
    # Rows are made as they come into sight; the last ones have to arrive.
    opened.wait_until(f"document.querySelectorAll('#runs tbody tr').length >= {len(CAMPAIGN.runs)}")
    shown = Counter(zip(cells(opened, "task"), cells(opened, "config"), cells(opened, "cpu"), strict=True))
    assert shown == Counter((short(run), run.config, f"{run.cpu:.2f}") for run in CAMPAIGN.runs)


@needs_browser
def test_the_summary_counts_as_the_tables_do(opened: Browser) -> None:
    told = summary_of(opened)
    for row in summaries(CAMPAIGN):
        if row.is_total:
            mine = told[row.config]
            assert mine["runs"] == str(row.runs)
            assert mine["correct true"] == str(row.count("correct-true"))
            assert mine["correct false"] == str(row.count("correct-false"))
            assert mine["wrong"] == str(row.wrong)
            assert mine["timeout"] == str(row.count("timeout"))
            assert mine["memory"] == str(row.count("memory"))
            assert mine["unknown"] == str(row.count("unknown"))
            assert mine["score"] == str(row.score)
            assert mine["why unknown"] == row.reasons()


@needs_browser
def test_it_sorts(opened: Browser) -> None:
    opened.click("#runs th[data-key=cpu] button")
    rising = [float(text) for text in cells(opened, "cpu")]
    assert rising == sorted(rising)
    assert rising[0] == min(round(run.cpu, 2) for run in CAMPAIGN.runs)
    assert opened.evaluate("document.querySelector('#runs th[data-key=cpu]').ariaSort") == "ascending"
    opened.click("#runs th[data-key=cpu] button")
    falling = [float(text) for text in cells(opened, "cpu")]
    assert falling == sorted(falling, reverse=True)
    assert falling[0] == max(round(run.cpu, 2) for run in CAMPAIGN.runs)
    opened.click("#runs th[data-key=category] button")
    assert cells(opened, "category") == sorted(cells(opened, "category"))


@needs_browser
def test_it_filters(opened: Browser) -> None:
    opened.click(chip("category", "Floats"))
    opened.click(chip("config", "SP"))
    opened.click(chip("status", "correct-true"))
    opened.click(chip("status", "correct-false"))
    chosen = [
        run for run in CAMPAIGN.runs if run.category == "Floats" and run.config == "SP" and "correct" in run.status
    ]
    assert chosen
    assert sorted(cells(opened, "task")) == sorted(map(short, chosen))
    assert summary_of(opened).keys() == {"SP"}
    opened.click("#text")
    opened.type("FLOATS/loop_0 unreach")
    assert sorted(cells(opened, "task")) == sorted(short(run) for run in chosen if "/loop_0" in run.task)
    opened.click("#reset")
    assert opened.evaluate("document.getElementById('shown').textContent") == f"{len(CAMPAIGN.runs)} runs"


@needs_browser
def test_wrong_verdicts_are_one_click_away(opened: Browser) -> None:
    wrong = [run for run in CAMPAIGN.runs if run.status.startswith("wrong")]
    assert wrong
    opened.click("#wrong a")
    opened.wait_until("document.getElementById('shown').textContent.includes(' of ')")
    assert sorted(cells(opened, "task")) == sorted(map(short, wrong))


@needs_browser
def test_it_plots_quantiles(opened: Browser) -> None:
    """One point for each solved run, further right for each next one, and never lower."""
    for config in CAMPAIGN.header["configs"]:
        path = opened.evaluate(
            f"document.querySelector('#quantile path[data-config={json.dumps(config)}]').getAttribute('d')"
        )
        points = [(float(x), float(y)) for x, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", path)]
        assert len(points) == sum(run.config == config and is_solved(run) for run in CAMPAIGN.runs)
        assert [x for x, _ in points] == sorted(x for x, _ in points)
        assert [y for _, y in points] == sorted((y for _, y in points), reverse=True)  # y grows downwards in SVG


@needs_browser
def test_it_plots_any_two_configurations(opened: Browser) -> None:
    for x, y in (("SP", "craig"), ("craig", "IT-WP <b>&_%")):
        for axis, name in (("x", x), ("y", y)):
            opened.evaluate(
                f"(() => {{ const s = document.getElementById('scatter-{axis}'); s.value = [...s.options].findIndex("
                f"o => o.text === {json.dumps(name)}); s.dispatchEvent(new Event('change')); }})()"
            )
        expected = _scatter(CAMPAIGN, x, y)
        drawn = opened.evaluate("document.querySelectorAll('#scatter .point').length")
        assert drawn == expected["points"]
        note = opened.evaluate("document.getElementById('scatter-note').textContent")
        assert f"{x} needs less on {expected['less']} and {y} on {expected['more']};" in note
        assert f"only {x} solves {expected['only x']}, only {y} {expected['only y']}." in note
        assert f"{y}: CPU time (s)" in opened.evaluate("document.querySelector('#scatter svg').textContent")


def _scatter(found: Campaign, x: str, y: str) -> dict[str, int]:
    by_task: dict[str, dict[str, Any]] = {}
    for run in found.runs:
        by_task.setdefault(run.task, {})[run.config] = run
    counts: Counter[str] = Counter()
    for runs in by_task.values():
        solved = [is_solved(runs[x]), is_solved(runs[y])]
        counts["points"] += any(solved) or any(runs[name].status.startswith("wrong") for name in (x, y))
        counts["only x"] += solved == [True, False]
        counts["only y"] += solved == [False, True]
        counts["less"] += all(solved) and runs[x].cpu < runs[y].cpu
        counts["more"] += all(solved) and runs[x].cpu > runs[y].cpu
    return counts


@needs_browser
def test_points_tell_what_they_are(opened: Browser) -> None:
    opened.evaluate("document.querySelector('#scatter').scrollIntoView({block: 'center'})")
    x, y = opened.evaluate(
        "(() => { const box = [...document.querySelectorAll('#scatter .point')].at(-1).getBoundingClientRect();"
        " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
    )
    opened.move_to(x, y)
    told = opened.evaluate("document.getElementById('tip').textContent")
    assert told.split("\n")[0] in set(map(short, CAMPAIGN.runs))
    assert opened.evaluate("document.getElementById('tip').hidden") is False
    opened.evaluate("[...document.querySelectorAll('#scatter .point')].at(-1).dispatchEvent(new Event('click'))")
    assert set(cells(opened, "task")) == {told.split("\n")[0]}


@needs_browser
def test_rows_link_to_logs_and_witnesses(opened: Browser, page: Path) -> None:
    """Every link leads to the file that belongs to its row."""
    rows = opened.evaluate(
        "[...document.querySelectorAll('#runs tbody tr')].map("
        "r => [r.cells[0].textContent, [...r.querySelectorAll('a')].map(a => [a.textContent, a.href])])"
    )
    existing = {file.as_uri(): file for file in page.parent.rglob("*") if file.is_file()}
    seen: Counter[str] = Counter()
    for task, links in rows:
        for name, address in links:
            file = existing[address]
            assert file.read_text(encoding="utf-8") == f"{file.relative_to(page.parent)} of {FOLDER}{task}\n"
            seen[name] += 1
    assert seen["log"] == len(rows) > 0
    assert seen["witness"] > 0


@needs_browser
def test_side_by_side(opened: Browser) -> None:
    opened.click("[data-view=tasks]")
    assert len(set(cells(opened, "task"))) == len(cells(opened, "task")) == len({run.task for run in CAMPAIGN.runs})
    of_one = {short(run): run for run in CAMPAIGN.runs if run.config == "SP"}
    opened.click("#runs th[data-key='config:SP'] button")
    solved = [of_one[task].cpu for task in cells(opened, "task") if is_solved(of_one[task])]
    assert solved == sorted(solved)
    assert [is_solved(of_one[task]) for task in cells(opened, "task")] == [True] * len(solved) + [False] * (
        len(of_one) - len(solved)
    )


@needs_browser
def test_the_address_keeps_the_view(opened: Browser) -> None:
    opened.click(chip("config", "IT-WP <b>&_%"))
    opened.click("#runs th[data-key=memory] button")
    before = cells(opened, "task")
    address = opened.evaluate("location.href")
    opened.open("about:blank")
    opened.open(address)
    assert cells(opened, "task") == before
    assert set(cells(opened, "config")) == {"IT-WP <b>&_%"}


@needs_browser
def test_light_and_dark(opened: Browser) -> None:
    def background() -> str:
        return str(opened.evaluate("getComputedStyle(document.body).backgroundColor"))

    opened.dark(on=False)
    light = background()
    opened.dark(on=True)
    dark = background()
    assert light != dark
    opened.click("#theme")  # light, whatever the system has
    assert background() == light
    opened.dark(on=False)
    opened.click("#theme")
    assert background() == dark


@needs_browser
def test_a_laptop_shows_it_without_scrolling_sideways(opened: Browser) -> None:
    assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth")


@needs_browser
def test_a_campaign_with_nothing_to_show(chromium: Browser, tmp_path: Path) -> None:
    """No runs at all, and runs of which none is solved, one configuration only."""
    failed = tuple(run for run in CAMPAIGN.runs if run.config == "SP" and run.status == "timeout")
    for runs in ((), failed):
        file = tmp_path / f"{len(runs)}.html"
        file.write_text(results_page(Campaign(CAMPAIGN.header, runs)), encoding="utf-8")
        chromium.complaints.clear()
        chromium.open(file.as_uri())
        assert chromium.complaints == []
        assert cells(chromium, "task") == sorted(map(short, runs))


@needs_browser
def test_the_browser_notes_what_it_should(chromium: Browser, tmp_path: Path) -> None:
    """The other tests rest on it."""
    file = tmp_path / "bad.html"
    file.write_text("<script>throw Error('oh')</script><img src='http://localhost:9/x.png'>", encoding="utf-8")
    chromium.complaints.clear()
    chromium.open(file.as_uri())
    assert any("oh" in complaint for complaint in chromium.complaints)
    assert "http://localhost:9/x.png" in chromium.requests


def test_links_from_elsewhere() -> None:
    text = results_page(CAMPAIGN, "../out 1")
    assert quote(f"../out 1/{CAMPAIGN.runs[0].log}") in text


def test_texts_cannot_leave_their_place() -> None:
    text = results_page(CAMPAIGN)
    assert text.count("</script>") == 2
    assert "Test CPU \\u003c/script>" in text
    assert re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//", text) is None


def test_the_page_is_the_same_whatever_order_runs_ended_in() -> None:
    assert results_page(CAMPAIGN) == results_page(Campaign(CAMPAIGN.header, CAMPAIGN.runs[::-1]))
