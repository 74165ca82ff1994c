"""A study without Python, as CONTRIBUTING walks through it: published numbers, a sweep with predictions, claims, a
chapter."""

import html
import re
import shutil

import pytest
from book_sample import campaign_row, interleaved, tables_of

from longlook import paths
from longlook.book import data as book_data
from longlook.book import studies
from longlook.book.execute import notebook_of
from longlook.dataset.agreement import agreement_rows
from longlook.dataset.tables import write_tables
from longlook.errors import LonglookError
from longlook.published.registry import published_cells
from longlook.stack.arms import open_sweep

HEAD = (
    "table,series,size_bytes,count,bandwidth_mbps,rtt_ms,loss_pct,stack,protocol,server,client,handshake,"
    "emulated_connections,metric,mean,sd,n"
)
ARMS = ("quicv1,quic,envoy,chromium,0rtt,2", "quicv1,tcp,apache,chromium,1rtt,")
PRINTED = {(1, 0): (100, 180), (1, 1): (110, 200), (10, 0): (150, 240), (10, 1): (190, 260), (100, 0): (700, 690)}
"""Objects and loss, % -> means of QUIC and of TCP, ms: ten numbers."""
SWEEP = """
name = "tiny-pages"
study = "tiny2020"
title = "Pages of some objects"
stack = "quicv1"
loads = 5
seed = 1

[[cells]]
series = "pages"
arms = [{ protocol = "quic" }, { protocol = "tcp" }]
bandwidth_mbps = [10]
rtt_ms = [36]
loss_pct = [0, 1]
workloads = [{ size_kb = 10, count = 1 }, { size_kb = 10, count = 10 }, { size_kb = 10, count = 100 }]

[judging]
metric = "plt_ms"
by = "interval"
ratio = ["quic", "tcp"]
name = "{object_count} objects"

[[predictions]]
n = 1
says = "with up to 10 objects QUIC takes at most 0.9 times what TCP does"
where = { object_count = { most = 10 } }
at_most = 0.9

[[predictions]]
n = 2
says = "with 100 objects QUIC takes at least 1.2 times what TCP does"
where = { object_count = 100 }
at_least = 1.2
"""
CLAIMS = """
[judging]
metric = "plt_ms"
by = "interval"
series = "pages"
ratio = ["quic", "tcp"]
name = "{object_count} objects"
where = { loss_pct = 0 }

[[claims]]
id = "tiny-1"
says = "QUIC is faster with few objects"
criterion = "its mean is below TCP's with 1 and 10 objects"
where = { object_count = [1, 10] }
at_most = 1
parts = 2

[[claims]]
id = "tiny-2"
says = "It is not with many"
criterion = "its mean is above TCP's with 100 objects"
where = { object_count = 100 }
at_least = 1
parts = 1

[[claims]]
id = "tiny-3"
says = "Loss costs QUIC little"
criterion = "with 1 % its mean is within 1.3 times that without, with 1 and 10 objects"
value = "quic"
where = { object_count = [1, 10], loss_pct = 1 }
over = { loss_pct = 0 }
within = [0.8, 1.3]
parts = 2
"""
CHAPTER = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
longlook:
  name: tiny
  sweeps: [tiny-pages]
---
# A tiny study

```{code-cell} ipython3
from longlook.book.judged import claims
from longlook.book.registry import predicted
```

```{code-cell} ipython3
predicted("tiny-pages")
```

```{code-cell} ipython3
claims("tiny2020")
```
"""


def printed(head=HEAD):
    lines = [
        f"1,pages,10240,{count},10,36,{loss},{arm},plt_ms,{mean},5,20"
        for (count, loss), means in PRINTED.items()
        for arm, mean in zip(ARMS, means, strict=True)
    ]
    return "\n".join([head, *lines]) + "\n"


@pytest.fixture
def study(tmp_path, monkeypatch):
    """Four files, and tables as a campaign of its sweep would make them: QUIC is as printed, TCP a tenth slower."""
    own = tmp_path / "published" / "tiny2020"
    sweeps = tmp_path / "sweeps" / "tiny2020"
    shutil.copytree(paths.PUBLISHED, own.parent)
    for folder in (own, sweeps):
        folder.mkdir(parents=True)
    (own / "cells.csv").write_text(printed())
    (own / "claims.toml").write_text(CLAIMS)
    (sweeps / "tiny-pages.toml").write_text(SWEEP)
    (tmp_path / "tiny.md").write_text(CHAPTER)
    monkeypatch.setattr(paths, "PUBLISHED", tmp_path / "published")
    monkeypatch.setattr(paths, "SWEEPS", tmp_path / "sweeps")
    return tmp_path


def measured(root):
    campaign = "reference-tiny-pages-20260101T000000"

    def load(cell, arm, index):
        quic, tcp = PRINTED.get((cell.workload.object_count, int(cell.link.loss_pct)), (700, 690))
        return {"plt_ms": (quic if arm.protocol == "quic" else tcp * 1.1) + index % 3}

    cells = open_sweep("tiny-pages").cells()
    results = [interleaved(campaign, "plt", cell, load, 5) for cell in cells]
    tables = tables_of(results, [campaign_row(campaign, "reference", "tiny-pages", len(cells)) | {"study": "tiny2020"}])
    means, verdicts = agreement_rows(results, root / "published")
    write_tables(root / "processed", tables | {"agreement_means": means, "agreement_verdicts": verdicts})
    return book_data.read(root / "published", root / "processed")


def shown(root, data, monkeypatch):
    monkeypatch.setattr(book_data, "load", lambda: data)
    said, outputs = {}, []
    for cell in notebook_of(root / "tiny.md").cells:
        if cell.cell_type == "code":
            code = cell.source if "import" in cell.source else f"_ = {cell.source}"
            exec(code, said)
            outputs.append(getattr(said.get("_"), "data", ""))
    return [html.unescape(re.sub(r"<[^>]+>", " ", text)) for text in outputs[1:]]


def verdicts(text):
    return re.findall(r" (holds|does not hold|open) ", text)


def counted(data):
    return next(one for one in studies.counted(data) if one["study"] == "tiny2020")


def test_four_files_are_a_study_with_agreement_predictions_and_claims(study, monkeypatch):
    data = measured(study)
    predictions, claims = shown(study, data, monkeypatch)
    assert verdicts(predictions) == ["does not hold"] and "1 of 2 predictions hold" in predictions
    assert "Re-measured (reference)" in claims
    assert verdicts(claims) == ["holds", "holds", "holds", "does not hold", "holds", "holds"]  # printed, re-measured
    own = counted(data)
    assert (own["published"], own["measured"], own["agreeing"]) == (5, 5, 4)
    assert own["claims"] == {"holds": 2, "in part": 0, "does not hold": 1, "open": 0, "not measured": 0}


def test_without_a_campaign_its_own_numbers_are_held_to_its_claims(study, monkeypatch):
    data = book_data.read(study / "published", study / "processed")
    predictions, claims = shown(study, data, monkeypatch)
    assert "Not measured yet" in predictions and verdicts(claims) == ["holds"] * 3 and "Re-measured" not in claims
    own = counted(data)
    assert (own["published"], own["measured"]) == (5, 0) and own["claims"]["not measured"] == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (printed(HEAD.replace("rtt_ms", "rtt")), "line 2: no column 'rtt'"),
        (printed().replace(",10240,", ",,"), "line 2: it does not state size_bytes"),
        (printed().replace(",100,5,20", ",much,5,20"), "line 2: could not convert"),
        (printed().replace(",100,5,20", ",nan,5,20"), "line 2: mean nan"),
        (printed().replace(",100,5,20", ",100,-5,20"), "line 2: .*sd -5"),
        (printed().replace(",100,5,20", ",100,5,0"), "line 2: .*n = 0"),
        (printed().replace(",10,36,", ",10,-36,"), "line 2: .*rtt_ms"),
        (printed().replace("chromium", "netscape\x00"), "client"),
    ],
)
def test_a_mistake_in_its_numbers_names_file_and_line(study, text, words):
    (study / "published" / "tiny2020" / "cells.csv").write_text(text)
    published_cells.cache_clear()
    with pytest.raises(LonglookError, match=words) as error:
        published_cells(study / "published")
    assert str(study / "published" / "tiny2020" / "cells.csv") in str(error.value)
