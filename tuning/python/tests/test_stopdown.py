"""The module does what its stubs say, with FENs and with python-chess boards."""

import sys
import threading

import chess.variant
import pytest
import stopdown

MATE = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
PGN = """[White "Ann"]
[Black "Bob"]
[Result "1-0"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O 7. Re1 a6 8. Bb3 Ba7 9. h3 h6 10. Nbd2 Re8 11. Nf1 Be6
12. Bxe6 Rxe6 13. Ng3 d5 14. exd5 Qxd5 15. d4 exd4 16. Rxe6 fxe6 17. Nxd4 Nxd4 18. cxd4 Bxd4 1-0
"""


def test_every_legal_move_has_a_score_at_every_depth():
    found = stopdown.evaluate(chess.STARTING_FEN, 3)
    assert found["depth"] == 3 and found["nodes"] > 20
    assert {move["move"] for move in found["moves"]} == {move.uci() for move in chess.Board().legal_moves}
    for move in found["moves"]:
        assert len(move["by_depth"]) == 3
        assert move["value"] == move["by_depth"][-1]
        assert move["pv"][0] == move["move"]
    pawns = [move["pawns"] for move in found["moves"]]
    assert pawns == sorted(pawns, reverse=True)


def test_mates_are_counted_in_moves():
    best = stopdown.evaluate(MATE, depth=2)["moves"][0]
    assert (best["san"], best["value"]) == ("Ra8#", {"mate": 1})


def test_a_board_brings_its_moves():
    board = chess.Board()
    # After Ng8, the position has occurred three times.
    for move in ("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1").split():
        board.push_san(move)
    repeated = next(m for m in stopdown.evaluate(board, 1)["moves"] if m["san"] == "Ng8")
    assert repeated["value"] == {"cp": 0}
    alone = next(m for m in stopdown.evaluate(board.fen(), 1)["moves"] if m["san"] == "Ng8")
    assert alone["value"] != {"cp": 0}
    assert stopdown.evaluate(board, 1)["fen"] == board.fen()


def test_chess960_castles_by_taking_the_rook():
    board = chess.Board("4k3/8/8/8/8/8/8/1R3KR1 w KQ - 0 1", chess960=True)
    moves = {move["move"] for move in stopdown.evaluate(board, 1)["moves"]}
    assert moves == {move.uci() for move in board.legal_moves}


def test_shares_of_human_moves_add_up_and_depend_on_the_rating():
    board = chess.Board()
    shares = {rating: stopdown.human_moves(board, rating, depth=4) for rating in (800, 2400)}
    for found in shares.values():
        assert abs(sum(found.values()) - 1) < 1e-9
        assert list(found.values()) == sorted(found.values(), reverse=True)
        assert set(found) == {move.uci() for move in board.legal_moves}
    assert shares[800] != shares[2400]
    assert stopdown.human_moves(board, 800, "Lichess-Blitz", 4) != shares[800]


def test_players_are_rated_with_an_interval():
    players = stopdown.rate(PGN, depth=2)
    assert {player["name"] for player in players} == {"Ann", "Bob"}
    for player in players:
        low, high = player["interval"]
        assert low < player["rating"] < high
        assert player["moves"] > 0
    assert stopdown.rate("") == []


def test_mistakes_are_value_errors():
    for call, words in [
        (lambda: stopdown.evaluate("nonsense", 1), "FEN"),
        (lambda: stopdown.evaluate(MATE, 0), "depth is 0, but must be from 1 to 60"),
        (lambda: stopdown.rate(PGN, depth=-300), "depth is -300, but must be"),
        (lambda: stopdown.evaluate(chess.variant.AtomicBoard(), 1), "the variant atomic is not supported"),
        (lambda: stopdown.human_moves(MATE, 3500), "3500 is out of range"),
        (lambda: stopdown.human_moves(MATE, 1500, "FIDA"), 'did you mean "FIDE"'),
        (lambda: stopdown.rate(PGN, "USCF"), "unknown rating scale"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(TypeError, match="a FEN or a chess.Board"):
        stopdown.evaluate(7, 1)


def test_other_threads_run_during_a_search():
    started, done = threading.Event(), threading.Event()

    def search():
        started.set()
        stopdown.evaluate(chess.STARTING_FEN, 10)
        done.set()

    # Python will not switch threads by itself, so this thread can continue only if the search releases the lock.
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        thread = threading.Thread(target=search)
        thread.start()
        started.wait()
        assert not done.is_set()
    finally:
        sys.setswitchinterval(usual)
    thread.join()


def test_unreadable_games_are_skipped_with_a_warning():
    with pytest.warns(UserWarning, match="a game was skipped: "):
        assert stopdown.rate('[White "A"]\n\n1. e4 Ke4 1-0\n', depth=1) == []


def test_ctrl_c_stops_the_rating_of_games():
    import signal

    # Copies of a game would count once.
    games = "".join(f'[Round "{number}"]\n{PGN}' for number in range(200))
    interrupter = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    with pytest.raises(KeyboardInterrupt):
        interrupter.start()
        stopdown.rate(games, depth=12)
    interrupter.join()


def test_the_stubs_name_what_the_module_has():
    from importlib.resources import files

    stub = (files("stopdown") / "__init__.pyi").read_text()
    for name in ("evaluate", "human_moves", "rate"):
        assert f"def {name}(" in stub
        assert getattr(stopdown, name).__doc__.splitlines()[0] in stub


def test_an_opponent_plays_a_legal_move_that_depends_on_the_seed_alone():
    board = chess.Board()
    moves = {seed: stopdown.Opponent(800, seed=seed).choose(board) for seed in range(1, 9)}
    assert all(chess.Move.from_uci(move) in board.legal_moves for move in moves.values())
    assert len(set(moves.values())) > 1
    assert stopdown.Opponent(800, seed=1).choose(board) == moves[1]
    assert stopdown.Opponent(1500, "Lichess-Blitz").choose("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1") is None
    with pytest.raises(ValueError, match="3500"):
        stopdown.Opponent(3500)


def test_games_are_read_from_a_file_and_messages_about_skipped_games_are_kept(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(PGN + PGN.replace("Nf3", "Nf4"))
    skipped = []
    rated = stopdown.rate(path, depth=1, skipped=skipped)
    assert {player["name"] for player in rated} == {"Ann", "Bob"}
    assert len(skipped) == 1 and "Nf4" in skipped[0]
    with pytest.raises(ValueError, match="Path"):
        stopdown.rate("games.pgn")
    with pytest.raises(FileNotFoundError):
        stopdown.rate(tmp_path / "none.pgn")
