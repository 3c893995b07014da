# SPDX-License-Identifier: Apache-2.0
"""Runs a generator in a process of its own: a model may end the process that tries it."""

import multiprocessing
import os
import signal
import tempfile
import traceback


def _child(pipe, log, generator, args):
    os.dup2(log, 1)
    os.dup2(log, 2)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        for item in generator(*args):
            pipe.send(("item", item))
        pipe.send(("end", None))
    except Exception as error:
        pipe.send(("failed", f"{type(error).__name__}: {error} "
                   f"({traceback.extract_tb(error.__traceback__)[-1].name})"))
    finally:
        pipe.close()


def isolated(generator, args, seconds):
    """Yields what generator(*args) yields there. Last comes an Ending."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    with tempfile.TemporaryFile() as log:
        process = context.Process(target=_child, args=(theirs, log.fileno(), generator, args))
        process.start()
        theirs.close()
        try:
            yield from _receive(ours, process, log, seconds)
        finally:
            process.kill()
            process.join()


def _receive(pipe, process, log, seconds):
    while True:
        try:
            if not pipe.poll(seconds):
                yield Ending(f"no answer in {seconds} s")
                return
            kind, value = pipe.recv()
        except EOFError:
            process.join()
            yield Ending(f"crashed ({_signal(process.exitcode)}){_last_line(log)}", True)
            return
        if kind == "item":
            yield value
        else:
            yield Ending(value)
            return


class Ending:
    """error: None, or why it ended early."""

    def __init__(self, error, crashed=False):
        self.error, self.crashed = error, crashed


def _signal(code):
    return signal.Signals(-code).name if code is not None and code < 0 else f"status {code}"


def _last_line(log):
    log.seek(0)
    lines = log.read().decode(errors="replace").strip().splitlines()
    return f": {lines[-1][:200]}" if lines else ""
