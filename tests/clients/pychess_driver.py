"""Runs PyChess and operates it from within: each line of standard input is a command."""
import os
import runpy
import shutil
import signal
import sys

import gi
gi.require_version("Gtk", "3.0")
from gi.repository import GLib  # noqa: E402

OUTPUT = os.fdopen(os.dup(1), "w", buffering=1)
# PyChess and its helper for sounds print to standard output too. Their output goes elsewhere, because a message in the
# middle of a line would hide an answer.
sys.stdout = sys.stderr
os.dup2(2, 1)
program = shutil.which("pychess")
sys.argv = [program, "--no-version-check"]
# A short path, so that PyChess does not try every engine that is installed.
os.environ["PATH"] = "/usr/bin:/bin"
model = None


def handler():
    from pychess.perspectives import perspective_manager
    return perspective_manager.get_perspective("games")


def ready(say):
    """Answers once PyChess has read the options of the engine, which is new to it."""
    def look():
        from pychess.Players.engineNest import discoverer
        engine = discoverer.getEngineByName("Stopdown")
        if engine.get("recheck"):
            return True
        say(engine["options"][0]["name"])
        return False
    GLib.timeout_add(20, look)


def play(say, level, fen="", *options):
    """Starts a game in which a human has White, at this level of the slider and with these options set in the dialog."""
    global model
    from io import StringIO
    from pychess.Players.Human import Human
    from pychess.Players.engineNest import discoverer
    from pychess.Savers import fen as loader
    from pychess.Utils.GameModel import GameModel
    from pychess.Utils.const import ARTIFICIAL, BLACK, LOCAL, WHITE
    from pychess.Variants import variants
    from pychess.Utils.const import NORMALCHESS
    from pychess.compat import create_task
    engine = discoverer.getEngineByName("Stopdown")
    for option in engine["options"]:
        option.pop("value", None)
    for name, value in zip(options[::2], options[1::2]):
        option = next(option for option in engine["options"] if option["name"] == name)
        option["value"] = value
    model = GameModel()
    person = (LOCAL, Human, (WHITE, "Human"), "Human")
    words = [engine, BLACK, int(level), variants[NORMALCHESS]]
    opponent = (ARTIFICIAL, discoverer.initPlayerEngine, words, "Stopdown")
    start = (StringIO(fen), loader, 0, -1) if fen else None
    model.connect_after("game_started", lambda *_: say())
    create_task(handler().generalStart(model, person, opponent, start))


def move(say, text):
    """Moves a piece on the board."""
    from pychess.Utils.Move import parseAny
    board = model.boards[-1]
    move = parseAny(board, text)
    handler().cur_gmwidg().board.emit_move_signal(move.cord0, move.cord1, move.promotion or None)
    say()


def take_back(say):
    """Takes back the last move and its reply with the menu."""
    from pychess.widgets.gamewidget import getWidgets
    model.connect_after("moves_undone", lambda *_: say())
    getWidgets()["undo1"].activate()


def when(say, condition):
    """Answers once the condition holds. PyChess keeps running until then."""
    from pychess.Utils import const

    def look():
        if eval(condition, {"model": model, **vars(const)}):
            say()
            return False
        return True
    if look():
        GLib.timeout_add(20, look)


def pause_analysis(say):
    """Pauses the analysis that PyChess starts with the game. PyChess also stops the engine's process."""
    from pychess.Utils.const import HINT
    model.pause_analyzer(HINT)
    say()


def resume_analysis(say):
    """Resumes the analysis."""
    from pychess.Utils.const import HINT
    model.resume_analyzer(HINT)
    say()


COMMANDS = {command.__name__: command
            for command in (ready, play, move, take_back, when, pause_analysis, resume_analysis)}


def queue_engine_lines():
    """PyChess waits for one line of the engine at a time, and sometimes misses one of several that arrive together,
    such as an option or readyok. This queues the lines until PyChess waits for them."""
    import asyncio
    import pychess.Utils
    wait_signal, queues = pychess.Utils.wait_signal, {}

    def wait(sender, name):
        if name != "line":
            return wait_signal(sender, name)
        if sender not in queues:
            queues[sender] = asyncio.Queue()
            sender.connect(name, lambda *words: queues[sender].put_nowait(words))
        return queues[sender].get()
    pychess.Utils.wait_signal = wait


def leave():
    """Exits. Suspended engines must be resumed first, or they would never exit."""
    for thread in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{thread}/children") as children:
            for child in children.read().split():
                os.kill(int(child), signal.SIGCONT)
    os._exit(0)


def listen(source, _):
    line = source.readline()
    if not line:
        leave()
    name, *words = line.rstrip("\n").split("|")
    said = []

    def say(text=""):
        if not said:
            said.append(text)
            print(f"did: {text}", file=OUTPUT)
    try:
        COMMANDS[name](say, *words)
    except Exception as error:
        print(f"failed: {type(error).__name__}: {error}", file=OUTPUT)
    return True


queue_engine_lines()
GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, listen)
runpy.run_path(program, run_name="__main__")
