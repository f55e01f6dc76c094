// Steps through the games of an analysis.
const Viewer = (() => {
  const { add, paint, plot, plotValues } = Board;
  const find = (id) => document.getElementById(id);
  const games = JSON.parse(find("data").textContent);
  // The likely moves in each position, if there is only one game.
  const charts = JSON.parse(find("charts").textContent);
  // `isFlippedForExercise` is true while the board is flipped for an exercise.
  const state = { game: 0, ply: 0, flipped: false, isFlippedForExercise: false };
  let shown = () => {};
  let rating = 1500;
  const colours = ["var(--black)", "var(--white)"];

  const current = () => games[state.game];

  function showBoard() {
    const { boards, moves } = current();
    const marked = state.ply ? moves[state.ply - 1].squares : [];
    const pieces = paint(find("board"), boards[state.ply], { flipped: state.flipped, marked });
    const words = [...pieces].map(([square, piece]) => `${piece} ${square}`);
    find("board").setAttribute("aria-label", "Board: " + words.join(", "));
  }

  function showNames() {
    const { white, black, elo, moves } = current();
    const next = moves[state.ply] || moves[state.ply - 1];
    const fill = (id, isWhite) => {
      const line = find(id);
      const [name, rating] = [isWhite ? white : black, elo[isWhite ? 0 : 1]];
      // The names of some engines include the rating.
      const rated = rating && !name.endsWith(`(${rating})`) ? ` (${rating})` : "";
      line.replaceChildren();
      add(line, "span", `${isWhite ? "White" : "Black"} \u00B7 ${name}${rated}`);
      line.classList.toggle("mover", Boolean(moves[state.ply]) && next.white === isWhite);
    };
    fill("top", state.flipped);
    fill("bottom", !state.flipped);
  }

  const mark = (decision) => decision?.mark ?? "";

  function listMoves() {
    const list = find("moves");
    list.replaceChildren();
    current().moves.forEach((m, index) => {
      const item = add(list, "li");
      if (m.white || index === 0) add(item, "i", m.number);
      item.append(m.san + mark(m.decision));
      item.classList.toggle("uncounted", !m.decision || Boolean(m.decision.left_out));
      item.addEventListener("click", () => go(index + 1));
      list.append(" ");
    });
  }

  function tell() {
    const { moves, result } = current();
    if (!state.ply) return "Starting position.";
    const { number, san, decision } = moves[state.ply - 1];
    const end = state.ply === moves.length ? ` Result: ${result}.` : "";
    if (!decision) return `${number} ${san}, not evaluated.${end}`;
    const [, value, rank, expected] = decision.moves[decision.chosen];
    const points = decision.lost.toFixed(0);
    const lost = decision.lost >= 0.5
        ? ` It lost ${points} percentage ${points === "1" ? "point" : "points"} of winning chances.` : "";
    const best = rank > 1 ? `${lost} The best move was ${decision.moves[0][0]}, ${decision.moves[0][1]}.` : " This is the best move.";
    const left = decision.left_out ? ` Not counted: ${decision.left_out}.` : "";
    return `${number} ${san}: evaluation ${value}, rank ${rank} of ${decision.moves.length} moves, ` +
      `expected probability ${expected.toFixed(1)}%.${best}${left}${end}`;
  }

  // For researchers.
  function tellCompetence() {
    const { decision, white } = current().moves[state.ply - 1] ?? {};
    if (!decision) return "";
    const [c, low, high] = decision.competence;
    return `${white ? "White" : "Black"}: c = ${c.toFixed(1)} after this move (90% range: ${low.toFixed(1)} to ${high.toFixed(1)}). ` +
      `Surprisal of this move: ${decision.surprise.toFixed(1)} bits.`;
  }

  function showChoices() {
    const body = find("choices");
    body.replaceChildren();
    const m = current().moves[state.ply - 1];
    find("choicehead").textContent = m ? `Alternatives to ${m.number} ${m.san}` : "Moves";
    if (!m || !m.decision) {
      const cell = add(add(body, "tr"), "td", m ? "This move was not evaluated." : "No move yet.");
      cell.colSpan = 5;
      return;
    }
    const top = Math.max(...m.decision.moves.map((row) => row[3]), 1e-9);
    m.decision.moves.forEach(([san, value, rank, expected], index) => {
      const row = add(body, "tr", undefined, index === m.decision.chosen ? "chosen" : "");
      add(row, "td", index === m.decision.chosen ? `\u25B6\uFE0E ${san} (played)` : san);
      add(row, "td", value);
      add(row, "td", String(rank));
      add(row, "td", expected.toFixed(1) + "%");
      const bar = add(row, "td", undefined, "bar");
      bar.setAttribute("aria-hidden", "true");
      add(bar, "div").style.width = (100 * expected) / top + "%";
    });
  }

  // The moves that players of each rating would play in the position on the board.
  function showLikely() {
    const chart = charts[state.ply];
    find("likely").hidden = !chart;
    if (!chart || !find("likely").open) return;
    MovesByRating.show(find("likelychart"), chart, {
      rating,
      rated: (chosen) => { rating = chosen; },
      played: current().moves[state.ply]?.uci,
    });
  }

  let cursors = [];

  function showPlots() {
    const { values, moves } = current();
    const frame = { plies: Math.max(1, moves.length), first: moves[0], pick: go };
    const side = (isWhite) => moves.map((m, index) => [index + 1, m])
      .filter(([, m]) => m.white === isWhite && m.decision && !m.decision.left_out)
      .map(([ply, m]) => [ply, ...m.decision.competence]);
    const both = [side(true), side(false)];
    const most = Math.max(10, ...both.flat().map((p) => 1.5 * p[1]));
    const step = [2, 5, 10, 20].find((n) => most / n <= 5) || 20;
    const grid = [];
    for (let c = 0; c <= most; c += step) grid.push([c, String(c)]);
    cursors = [
      plotValues(find("values"), frame, values.map((v, ply) => [ply, v]).filter((p) => p[1] !== null)),
      plot(find("competences"), frame, { title: "Competence c with 90% range", ticks: grid, low: 0, high: most,
        lines: [
          { points: both[0], band: true, colour: colours[1], name: "White" },
          { points: both[1], band: true, colour: colours[0], dash: "6 4", name: "Black" },
        ] }),
    ];
  }

  function show() {
    showBoard();
    showNames();
    showChoices();
    showLikely();
    cursors.forEach((move) => move(state.ply));
    find("announcement").textContent = tell();
    find("surprise").textContent = tellCompetence();
    const list = find("moves");
    [...list.children].forEach((item, index) => {
      const isNow = index + 1 === state.ply;
      item.classList.toggle("now", isNow);
      if (isNow) {
        item.setAttribute("aria-current", "true");
        list.scrollTop = item.offsetTop - (list.clientHeight - item.offsetHeight) / 2;
      } else item.removeAttribute("aria-current");
    });
    if (!state.ply) list.scrollTop = 0;
    const atEnd = { first: state.ply === 0, last: state.ply === current().moves.length };
    [atEnd.back, atEnd.forward] = [atEnd.first, atEnd.last];
    for (const [id, is] of Object.entries(atEnd)) find(id).setAttribute("aria-disabled", String(is));
    shown();
    try { history.replaceState(null, "", `#game=${state.game + 1}&ply=${state.ply}`); } catch { /* a sandbox */ }
  }

  function go(ply) {
    state.ply = Math.max(0, Math.min(ply, current().moves.length));
    show();
  }

  function choose(game, ply) {
    state.game = Math.max(0, Math.min(game, games.length - 1));
    find("game").value = String(state.game);
    const { event, date, result } = current();
    const whole = result.replace("-", "\u2011"); // not broken across lines
    find("about").textContent = [event, date, whole].filter((text) => text && !text.startsWith("?")).join(", ");
    listMoves();
    showPlots();
    go(ply);
  }

  // If the board was flipped for an exercise, the next game is shown from White's side again.
  function chooseGame(game) {
    if (state.isFlippedForExercise) Object.assign(state, { flipped: false, isFlippedForExercise: false });
    choose(game, 0);
  }

  const nextGame = (step) => { if (games[state.game + step]) chooseGame(state.game + step); };

  // Shows a position of a game for an exercise, with the side to move at the bottom.
  function open(game, ply, isWhite) {
    Object.assign(state, { flipped: !isWhite, isFlippedForExercise: true });
    choose(game, ply);
  }

  games.forEach(({ white, black, date }, index) => {
    const option = add(find("game"), "option", `${index + 1}. ${white} \u2013 ${black}, ${date}`);
    option.value = String(index);
  });
  if (!games.length) return null;
  find("viewer").hidden = false;
  const step = { first: () => go(0), back: () => go(state.ply - 1), forward: () => go(state.ply + 1),
    last: () => go(Infinity), turn: () => { state.flipped = !state.flipped; show(); } };
  for (const [id, act] of Object.entries(step)) find(id).addEventListener("click", act);
  find("game").addEventListener("change", (event) => chooseGame(Number(event.target.value)));
  const keys = { ArrowLeft: step.back, ArrowRight: step.forward, Home: step.first, End: step.last,
    f: step.turn, n: () => nextGame(1), p: () => nextGame(-1) };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("select, input")) return;
    const act = keys[event.key] || keys[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  });
  find("likely").addEventListener("toggle", showLikely);
  find("research").addEventListener("toggle", () => {
    showPlots();
    cursors.forEach((move) => move(state.ply));
  });
  let width = 0;
  addEventListener("resize", () => {
    if (width === innerWidth) return;
    width = innerWidth;
    showPlots();
    cursors.forEach((move) => move(state.ply));
  });
  const asked = new URLSearchParams(location.hash.slice(1));
  choose((Number(asked.get("game")) || 1) - 1, Number(asked.get("ply")) || 0);

  return {
    games, open, show,
    // Whether the address in the browser selects a game.
    isAsked: asked.has("game"),
    at: (game, ply) => state.game === game && state.ply === ply,
    flipped: () => state.flipped,
    // Sets a function that is called whenever the board has been drawn.
    whenShown: (call) => { shown = call; },
  };
})();
