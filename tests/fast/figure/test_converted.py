"""Pictures of charts, in a process that was forked off from one that has made some."""

import multiprocessing

from longlook.figure.live import png, svg

SPEC = {"data": {"values": [{"a": 1, "b": 2}]}, "mark": "bar", "encoding": {"x": {"field": "a"}, "y": {"field": "b"}}}


def test_a_forked_process_makes_the_same_pictures():
    """vl-convert alone would wait there for ever."""
    pictures = {svg: svg(SPEC), png: png(SPEC)}
    fork = multiprocessing.get_context("fork")
    for make, picture in pictures.items():
        told, tells = fork.Pipe(duplex=False)
        forked = fork.Process(target=lambda make=make, tells=tells: tells.send(make(SPEC)))
        forked.start()
        try:
            assert told.poll(60) and told.recv() == picture
        finally:
            forked.kill()
