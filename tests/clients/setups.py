"""With the libraries of PicoChess and lichess-bot, reads the settings that Stopdown writes for these programs, and
sends them to the engine as the programs do. Prints the settings as JSON."""

import configparser
import json
import sys

import chess
import chess.engine
import yaml

program, levels_file, *configurations = sys.argv[1:]
quick = chess.engine.Limit(white_clock=60, black_clock=60, depth=2)
board = chess.Board("6k1/8/8/8/8/8/1Q6/K7 w - - 0 1")

parser = configparser.ConfigParser()
parser.optionxform = str
assert parser.read(levels_file)
levels = {name: dict(parser[name]) for name in parser.sections()}
with chess.engine.SimpleEngine.popen_uci(program) as engine:
    for name in sorted(levels):
        # PicoChess silently ignores unknown options, but this call reports them.
        engine.configure(levels[name])
        assert engine.play(board, quick).move in board.legal_moves

read = [levels]
for file in configurations:
    with open(file) as stream:
        config = yaml.safe_load(stream)
    settings = config["engine"]
    with chess.engine.SimpleEngine.popen_uci(program) as engine:
        engine.configure(settings["uci_options"])
        opponent = chess.engine.Opponent("Anna", None, 1712, False)
        engine.send_opponent_information(opponent=opponent)
        assert engine.play(board, quick, ponder=settings["ponder"]).move in board.legal_moves
    read.append(config)
print(json.dumps(read))
