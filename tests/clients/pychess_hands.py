"""PyChess, with somebody within it who does what lines on the standard input say, as hands would do it with the mouse."""
import os
import runpy
import shutil
import signal
import sys

import gi
gi.require_version("Gtk", "3.0")
from gi.repository import GLib  # noqa: E402

OUTPUT = os.fdopen(os.dup(1), "w", buffering=1)
# PyChess prints what it likes.
sys.stdout = sys.stderr
program = shutil.which("pychess")
sys.argv = [program, "--no-version-check"]
# It would try all engines that it finds.
os.environ["PATH"] = "/usr/bin:/bin"
model = None


def handler():
    from pychess.perspectives import perspective_manager
    return perspective_manager.get_perspective("games")


def ready(say):
    """Answers when PyChess has asked the engine for its options, as it does with one that is new to it."""
    def look():
        from pychess.Players.engineNest import discoverer
        engine = discoverer.getEngineByName("Stopdown")
        if engine.get("recheck"):
            return True
        say(engine["options"][0]["name"])
        return False
    GLib.timeout_add(20, look)


def play(say, level, fen="", *options):
    """A game of a person with the white pieces, at a level of the slider, with some options set in the dialog."""
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
    person = (LOCAL, Human, (WHITE, "Somebody"), "Somebody")
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


def back(say):
    """Has the last move and its answer taken back, by the menu."""
    from pychess.widgets.gamewidget import getWidgets
    model.connect_after("moves_undone", lambda *_: say())
    getWidgets()["undo1"].activate()


def when(say, condition):
    """Answers as soon as something is so; till then PyChess is left to itself."""
    from pychess.Utils import const

    def look():
        if eval(condition, {"model": model, **vars(const)}):
            say()
            return False
        return True
    if look():
        GLib.timeout_add(20, look)


def silence(say):
    """Has the analysis stop, which PyChess begins with the game. It stops the process too."""
    from pychess.Utils.const import HINT
    model.pause_analyzer(HINT)
    say()


def wake(say):
    """Has it go on."""
    from pychess.Utils.const import HINT
    model.resume_analyzer(HINT)
    say()


DEEDS = {deed.__name__: deed for deed in (ready, play, move, back, when, silence, wake)}


def hear_every_line():
    """PyChess listens for an engine's next line anew after each, and of many at once it misses one now and then: an
    option, or that the engine is ready. Here they are kept until it listens."""
    import asyncio
    import pychess.Utils
    wait_signal, heard = pychess.Utils.wait_signal, {}

    def wait(sender, name):
        if name != "line":
            return wait_signal(sender, name)
        if sender not in heard:
            heard[sender] = asyncio.Queue()
            sender.connect(name, lambda *words: heard[sender].put_nowait(words))
        return heard[sender].get()
    pychess.Utils.wait_signal = wait


def leave():
    """An engine that PyChess has stopped would stay so for ever."""
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
        DEEDS[name](say, *words)
    except Exception as error:
        print(f"failed: {type(error).__name__}: {error}", file=OUTPUT)
    return True


hear_every_line()
GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, listen)
runpy.run_path(program, run_name="__main__")
