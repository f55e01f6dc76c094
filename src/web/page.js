"use strict";
// The game in this tab: its state on the server, and how the page shows it. `input.js` and `actions.js` change it.
const Play = (() => {
  const { add, icon, paint, plot, plotValues, read } = Board;
  const find = (id) => document.getElementById(id);
  // The last state from the server.
  let shown = null;
  // The state of the user interface: the view of the board, and what the user is about to do.
  const ui = {
    flipped: false, chosen: null, focus: "e2", view: null, pieces: new Map(), received: 0, error: "",
    // A move on its way to the server, and a move planned for after the opponent's move.
    sent: null, planned: null,
    arrows: [],
    // The moves that the list shows.
    listed: "",
  };
  let events = null;
  // The delay before a broken event stream is reopened, in ms.
  const RECONNECT = 300;
  const watchers = [];

  // ---- Server ----

  const savedGame = () => { try { return JSON.parse(Memory.tab.get("game")); } catch { return null; } };

  // Sends the user's action. Shows the error if the action is not allowed.
  async function sendAction(action) {
    // A screen reader reads an error again only if it was gone.
    if (ui.error) { ui.error = ""; announce(""); }
    try {
      const answer = await Server.ask(`act?session=${shown.session}`, JSON.stringify(action));
      ui.sent = null;
      update(answer);
      ui.error = answer.error ?? "";
      showBoard();
      announce(status());
      return !answer.error;
    } catch (error) {
      ui.sent = null;
      if (error.isLost) announce(status());
      else await restore().catch(fail);
      if (shown) showBoard();
    }
    return false;
  }

  async function startGame(setup, session) {
    const answer = await Server.ask(`game${session ? `?session=${session}` : ""}`, JSON.stringify(setup));
    if (answer.error) return answer.error;
    const isNew = !shown || answer.session !== shown.session;
    // In the same session, an event with a newer state may have arrived before the answer.
    if (isNew) shown = null;
    Object.assign(ui, { flipped: answer.human === "black", error: "" });
    forgetPlans();
    update(answer);
    show();
    if (isNew) { lockSession(answer.session); listen(); }
    return null;
  }

  // Starts a game. Returns the reason if the server refuses it.
  const tryGame = (setup) => startGame(setup).catch((error) => {
    if (error.isLost) throw error;
    return error.message;
  });

  // Restores this tab's saved game, in a new session if necessary.
  async function restore() {
    const setup = savedGame()?.setup;
    const refusal = setup && (await tryGame(setup));
    if (setup && !refusal) return;
    const usual = { kind: "level", elo: 1400 };
    // The opponent may no longer exist, but the moves can be kept.
    const isKept = setup && !(await tryGame({ ...setup, opponent: usual, own: null, engine: false }));
    const failure = isKept ? null : await tryGame({ opponent: usual });
    if (failure) throw new Error(failure);
    if (!refusal || shown.result) return;
    ui.error = isKept ? `Your opponent is not available (${refusal}). You are now playing a 1400-rated opponent`
      : `Your game could not be restored: ${refusal}`;
    showBoard();
    announce(status());
  }

  // Locks a session for this tab. A duplicate of the tab does not get the lock, and starts a session of its own.
  const lockSession = (session) => new Promise((held) => {
    if (!navigator.locks) { held(true); return; }
    navigator.locks.request(session, { ifAvailable: true }, (lock) => {
      held(Boolean(lock));
      return lock && new Promise(() => {});
    }).catch(() => held(true));
  });

  function listen() {
    events?.close();
    events = null;
    // A hidden tab listens only while a reply is due, with its sound and the planned move. Browsers limit the number of
    // open connections.
    if (!shown || (document.hidden && !shown.thinking && !shown.running)) return;
    const stream = Server.stream(`events?session=${shown.session}`);
    events = stream;
    stream.onmessage = (event) => update(JSON.parse(event.data));
    stream.onerror = () => {
      if (stream !== events) return;
      stream.close();
      setTimeout(() => { if (stream === events) resume().catch(fail); }, RECONNECT);
    };
  }

  // Finds the game again after the connection was interrupted.
  async function resume() {
    const state = await Server.ask(`state?session=${shown.session}`);
    if (state.gone) { await restore(); return; }
    update(state);
    listen();
  }

  // ---- State ----

  function forgetPlans() {
    Object.assign(ui, { chosen: null, view: null, sent: null, planned: null, arrows: [] });
  }

  function update(state) {
    if (shown && (state.session !== shown.session || state.version < shown.version)) return;
    const before = shown;
    shown = state;
    ui.received = performance.now();
    const moves = state.moves.slice(state.before).map((m) => m.uci);
    const setup = { ...state.setup, moves, left: state.left, ended: state.ended };
    Memory.tab.set("game", JSON.stringify({ session: state.session, setup }));
    const isNews = !before || before.result !== state.result || before.moves.length !== state.moves.length || before.session !== state.session;
    // Someone who only watches can look at an earlier position for as long as they like.
    const isWatched = !state.people.includes(true) && !state.result && before?.setup.seed === state.setup.seed;
    const view = isWatched ? ui.view : null;
    // After the opponent's reply, the piece that the user has selected stays selected.
    const isNext = before?.setup.seed === state.setup.seed && state.moves.length === before.moves.length + 1;
    const chosen = isNext && state.legal.some((uci) => uci.startsWith(ui.chosen)) ? ui.chosen : null;
    if (isNews) Object.assign(ui, { error: "", view, chosen, sent: null, arrows: [] });
    show();
    if (document.hidden && !state.thinking && !state.running) listen();
    for (const watcher of watchers) watcher(before, shown);
  }

  const isHuman = (white) => shown.people[white ? 0 : 1];
  // Whether one person plays against the engine. The page addresses that person as "you".
  const isYours = () => shown.people[0] !== shown.people[1];
  const side = (white) => (white ? "White" : "Black");
  const nameOf = (white) => isHuman(white) ? (isYours() ? "You" : side(white)) : shown.names[white ? 0 : 1];
  // Moves of a king onto its own rook, which castle in standard chess.
  const CASTLING = { e1h1: "e1g1", e1a1: "e1c1", e8h8: "e8g8", e8a8: "e8c8" };
  const piecesNow = () => read(shown.boards[shown.moves.length]);
  // The legal moves from a square, or from one square to another.
  function targets(text) {
    const found = shown.legal.filter((uci) => uci.startsWith(text));
    const isKing = () => piecesNow().get(text.slice(0, 2)).toLowerCase() === "k";
    return !found.length && shown.legal.includes(CASTLING[text]) && isKing() ? [CASTLING[text]] : found;
  }
  const viewedPly = () => ui.view ?? shown.moves.length;
  // Whether a move can be planned: only one person plays, and it is the opponent's turn.
  const canPlan = () => isYours() && !shown.result && !shown.problem && isHuman(!shown.white) && ui.view === null;
  // In Chess960, the king castles by moving onto one of these rooks.
  const castlingRooks = (king, square) => {
    const [home, rook] = king === "K" ? ["1", "R"] : ["8", "r"];
    const isHome = king.toLowerCase() === "k" && square[1] === home;
    return [...piecesNow()].filter(([at, piece]) => isHome && piece === rook && at[1] === home).map(([at]) => at);
  };
  // The squares that the piece on this square may go to, now or as a planned move.
  function reachable(square) {
    if (shown.legal.length) {
      const rooks = Object.keys(CASTLING).filter((text) => text.startsWith(square) && targets(text).length);
      return [...targets(square), ...rooks].map((uci) => uci.slice(2, 4));
    }
    const letter = piecesNow().get(square);
    const isOwn = letter && (letter < "a") !== shown.white;
    if (!isOwn || !canPlan()) return [];
    return [...Premove.targets(letter, square), ...(shown.setup.chess960 ? castlingRooks(letter, square) : [])];
  }

  // ---- Display ----

  // Turns a message from the server into a sentence.
  const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
  const announce = (text) => { if (find("announcement").textContent !== text) find("announcement").textContent = text; };
  // Reports an error, unless the notice about a lost server does so.
  const fail = (error) => { if (!error.isLost) announce(sentence(error.message)); };

  // Unlike `disabled`, this attribute leaves the focus on the button.
  const setEnabled = (id, is) => find(id).setAttribute("aria-disabled", String(!is));
  const click = (id, action) => find(id).addEventListener("click", () => {
    if (find(id).getAttribute("aria-disabled") !== "true") action();
  });

  function show() {
    showBoard();
    showSides();
    showClocks();
    const isOver = Boolean(shown.result);
    find("introduction").textContent = shown.introduction ? `Your opponent plays ${shown.introduction}.` : "";
    setEnabled("undo", shown.moves.slice(shown.before).some((m) => isHuman(m.white)));
    setEnabled("hint", shown.legal.length && !shown.hint_asked);
    const endsGame = [find("resign"), find("draw")].includes(document.activeElement);
    find("resign").hidden = isOver;
    setEnabled("resign", shown.people.includes(true));
    find("draw").hidden = isOver;
    setEnabled("draw", shown.legal.length && !shown.draw_asked && shown.moves.length > shown.before);
    find("draw").textContent = shown.draw_offered ? "Accept draw" : shown.people.includes(false) ? "Offer draw" : "Agree to a draw";
    find("rematch").hidden = !isOver;
    // The focus must not get lost with the button that ended the game.
    if (isOver && endsGame) find("rematch").focus();
    find("learn").hidden = !isOver;
    find("pgn").hidden = !shown.moves.length;
    Server.link(find("pgn"), `pgn?session=${shown.session}`);
    listMoves();
    showBelief();
    announce(status());
  }

  function status() {
    const last = shown.moves.length > shown.before ? shown.moves[shown.moves.length - 1] : null;
    const move = last ? `${isYours() ? nameOf(last.white) : side(last.white)} played ${last.san}. ` : "";
    const opponent = nameOf(shown.human !== "white");
    const notice = shown.notice ? `${shown.notice} ` : "";
    if (ui.error) return sentence(ui.error);
    if (shown.problem) return `The game cannot continue: ${shown.problem}.`;
    if (shown.verdict && ui.view === null) return `${move}${shown.verdict}.`;
    if (ui.view === 0) return `${notice}Starting position.`;
    if (ui.view !== null) {
      const { number, san } = shown.moves[ui.view - 1];
      return `${notice}Position after ${number} ${san}.`;
    }
    if (shown.draw_asked) return "Your opponent is considering the draw offer.";
    if (shown.draw_offered) return `${move}${opponent} offers a draw. Accept it, or play on.`;
    if (shown.hint_asked) return `${notice}Looking for a good move…`;
    if (shown.hint) return `${notice}Hint: ${shown.hint[1]}.`;
    if (shown.thinking) return `${move}${isYours() ? opponent : side(shown.white)} is thinking.`;
    if (!isYours()) return `${move}${notice}${side(shown.white)} to move${shown.check ? ", in check" : ""}.`;
    return `${move}${notice}${shown.check ? "You are in check. " : ""}Your move.`;
  }

  // The pieces in a position. A move that is on its way to the server is already made.
  function piecesAt(ply) {
    const pieces = read(shown.boards[ply]);
    if (ui.sent && ply === shown.moves.length) {
      const [from, to] = ui.sent;
      pieces.set(to, pieces.get(from));
      pieces.delete(from);
    }
    return pieces;
  }

  function showBoard() {
    const at = viewedPly();
    const isNow = at === shown.moves.length;
    document.dispatchEvent(new CustomEvent("position", { detail: {
      session: shown.session, start: shown.boards[0], board: shown.boards[at], isOver: Boolean(shown.result),
      moves: shown.moves.slice(0, at).map((m) => m.uci), next: shown.moves[at]?.uci } }));
    const chosenTargets = ui.chosen && isNow ? reachable(ui.chosen) : [];
    const hint = isNow && shown.hint ? [{ from: shown.hint[0].slice(0, 2), to: shown.hint[0].slice(2, 4), colour: "#003088" }] : [];
    ui.pieces = paint(find("board"), piecesAt(at), {
      flipped: ui.flipped, marked: ui.sent && isNow ? ui.sent : at ? shown.moves[at - 1].squares : [],
      chosen: ui.chosen, targets: chosenTargets, planned: isNow && ui.planned ? ui.planned : [],
      check: isNow && !ui.sent ? shown.check : null, arrows: [...ui.arrows, ...hint],
    });
    if (!find("squares").children.length) {
      for (let index = 0; index < 64; index++) add(find("squares"), "button").type = "button";
    }
    const mover = shown.white ? "white" : "black";
    const isOwn = (piece) => piece && shown.legal.length && piece.startsWith(mover);
    const isWaiting = (piece) => piece && canPlan() && !piece.startsWith(mover);
    [...find("squares").children].forEach((button, index) => {
      const place = ui.flipped ? 63 - index : index;
      const square = "abcdefgh"[place % 8] + (8 - (place >> 3));
      const piece = ui.pieces.get(square);
      const isTarget = chosenTargets.includes(square);
      button.dataset.square = square;
      button.tabIndex = square === ui.focus ? 0 : -1;
      button.className = [square === ui.chosen && "chosen", isTarget && "target", isTarget && piece && "taken",
        isNow && square === shown.check && "check", ui.planned?.includes(square) && "planned",
        isOwn(piece) && "own", isWaiting(piece) && "waiting"].filter(Boolean).join(" ");
      button.setAttribute("aria-label", `${square}${piece ? `, ${piece}` : ""}${isTarget ? ", legal target" : ""}`);
      button.setAttribute("aria-pressed", String(square === ui.chosen));
    });
    showBar();
  }

  const isValueShown = () => find("show").checked || Boolean(shown.result);

  // Shows the bar beside the board. White's part of it grows with the evaluation. During a game, the engine's
  // evaluations stay hidden unless the user asks for them.
  function showBar() {
    const known = shown.values.filter(([ply]) => ply <= viewedPly());
    const value = known.length ? known[known.length - 1][1] : 0;
    find("bar").hidden = !isValueShown() || !shown.values.length;
    const white = 100 / (1 + Math.exp(-0.37 * value));
    find("bar").firstElementChild.style.height = `${white.toFixed(1)}%`;
    find("bar").classList.toggle("flipped", ui.flipped);
    find("bar").title = `Evaluation: ${value > 0 ? "+" : ""}${value.toFixed(1)} pawns`;
  }

  const PIECE_VALUES = { q: 9, r: 5, b: 3, n: 3, p: 1 };
  // Shows a side's extra material, and its lead in pawns.
  function showLead(line, isWhite, pieces) {
    line.replaceChildren();
    const letters = [...pieces.values()];
    const lead = (letter) => {
      const count = (wanted) => letters.filter((other) => other === wanted).length;
      return (count(letter.toUpperCase()) - count(letter)) * (isWhite ? 1 : -1);
    };
    const leads = Object.keys(PIECE_VALUES).map((letter) => [letter, lead(letter)]);
    for (const [letter, number] of leads) {
      for (let left = number; left > 0; left--) icon(line, isWhite ? letter : letter.toUpperCase());
    }
    const pawns = leads.reduce((sum, [letter, number]) => sum + number * PIECE_VALUES[letter], 0);
    // Without a lead, a screen reader must not find an image without a name.
    if (pawns > 0) {
      add(line, "b", `+${pawns}`);
      line.setAttribute("role", "img");
      line.setAttribute("aria-label", `ahead by ${pawns}`);
    } else {
      line.removeAttribute("role");
      line.removeAttribute("aria-label");
    }
  }

  function showSides() {
    const pieces = read(shown.boards[viewedPly()]);
    for (const [id, isWhite] of [["top", ui.flipped], ["bottom", !ui.flipped]]) {
      const line = find(id);
      line.children[0].textContent = nameOf(isWhite);
      line.classList.toggle("mover", shown.white === isWhite && !shown.result);
      showLead(line.children[1], isWhite, pieces);
    }
  }

  // Formats a clock as chess servers do: with hours only if there are any, and with tenths when time is short.
  function clockText(ms) {
    const seconds = Math.floor(ms / 1000);
    const pad = (number) => String(number).padStart(2, "0");
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    const text = hours ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`;
    return ms < 20000 ? `${text}.${Math.floor((ms % 1000) / 100)}` : text;
  }

  function showClocks() {
    // The server keeps the clocks. While it is gone, they stand still.
    if (shown.running && Server.isLost()) return;
    const passed = shown.running ? performance.now() - ui.received : 0;
    for (const [id, isWhite] of [["top", ui.flipped], ["bottom", !ui.flipped]]) {
      const clock = find(id).lastElementChild;
      clock.hidden = !shown.left;
      if (!shown.left) continue;
      const isRunning = shown.running && shown.white === isWhite;
      const left = Math.max(0, shown.left[isWhite ? 0 : 1] - (isRunning ? passed : 0));
      const isShort = left < 20000;
      if (isShort && isRunning && isHuman(isWhite) && isYours() && !clock.classList.contains("short")) Sound.play("low");
      clock.textContent = clockText(left);
      clock.classList.toggle("short", isShort);
      clock.classList.toggle("running", isRunning);
    }
  }

  function listMoves() {
    const list = find("moves");
    const at = viewedPly();
    // If the list were rebuilt under the mouse, a click on it would be lost.
    const listed = JSON.stringify([shown.session, shown.before, at, shown.moves.map((m) => m.uci)]);
    if (listed === ui.listed) return;
    ui.listed = listed;
    list.replaceChildren();
    shown.moves.forEach((m, index) => {
      const names = [index + 1 === at && "now", m.white ? "white" : "black", index < shown.before && "before"];
      const item = add(list, "li", undefined, names.filter(Boolean).join(" "));
      if (m.white || index === 0) add(item, "i", m.number);
      item.append(m.san);
      if (index + 1 === at) item.setAttribute("aria-current", "true");
      item.addEventListener("click", () => showPly(index + 1));
      list.append(" ");
    });
    scrollMoves();
    for (const id of ["first", "back"]) setEnabled(id, at > 0);
    for (const id of ["forward", "last"]) setEnabled(id, ui.view !== null);
  }

  // Scrolls the list to the move before the position on the board.
  function scrollMoves() {
    const list = find("moves");
    const now = list.querySelector(".now");
    if (ui.view === null) list.scrollTop = list.scrollHeight;
    else if (now) list.scrollTop = now.offsetTop - list.clientHeight / 2;
  }

  // Shows the position after `ply` plies. The game does not change.
  function showPly(ply) {
    const last = shown.moves.length;
    const to = Math.max(0, Math.min(ply, last));
    Object.assign(ui, { view: to === last ? null : to, chosen: null, arrows: [], error: "" });
    find("promotion").hidden = true;
    showBoard();
    showSides();
    listMoves();
    announce(status());
  }

  function showBelief() {
    const { moves, setup } = shown;
    const rated = [true, false].map((white) => ({ white, rating: shown.ratings[white ? 0 : 1] })).filter(({ rating }) => rating);
    find("beliefhead").textContent = isYours() ? "How strong are your moves?" : "How strong are the moves?";
    find("belief").textContent = rated.map(({ rating }) => rating.sentence).join(" ");
    const frame = { plies: Math.max(20, moves.length), first: moves[0] ?? { number: "1.", white: true }, pick: showPly };
    const { kind, elo, scale } = setup.opponent;
    const level = kind === "level" && scale === "FIDE" && isYours() ? [elo] : [];
    const [low, high] = [Math.min(600, ...level), Math.max(2800, ...level)];
    const ticks = [1000, 1500, 2000, 2500].map((n) => [n, String(n)]);
    const lines = rated.map(({ white, rating }) => ({ points: rating.points, band: true,
      colour: isYours() ? "var(--mark)" : white ? "var(--white)" : "var(--black)", name: isYours() ? "you" : side(white) }));
    if (level.length) {
      const points = [[0, elo], [frame.plies, elo]];
      lines.push({ points, colour: "var(--white)", dash: "6 4", name: "opponent" });
    }
    plot(find("beliefs"), frame, { title: "Rating with 90% range", ticks, low, high, lines });
    find("showrow").hidden = Boolean(shown.result);
    find("values").hidden = !isValueShown() || !shown.values.length;
    if (!find("values").hidden) plotValues(find("values"), frame, shown.values);
  }

  find("show").addEventListener("change", () => { showBelief(); showBar(); });

  // ---- Start ----

  document.addEventListener("visibilitychange", listen);
  addEventListener("resize", () => {
    if (!shown) return;
    showBelief();
    scrollMoves();
  });
  setInterval(() => { if (shown?.left && shown.running) showClocks(); }, 100);
  Server.onReturn(() => (shown ? resume() : begin()).catch(fail));
  paint(find("board"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", {});

  async function begin() {
    const session = savedGame()?.session;
    const state = session && (await lockSession(session)) ? await Server.ask(`state?session=${session}`) : { gone: true };
    if (state.gone) { await restore(); return; }
    ui.flipped = state.human === "black";
    update(state);
    listen();
  }
  begin().catch(fail);

  return {
    ui, sendAction, startGame, showPly, show, showBoard, announce, status, sentence, fail, targets, reachable,
    canPlan, viewedPly, isHuman, setEnabled, click,
    state: () => shown,
    // Calls a function with the states before and after each change.
    watch: (watcher) => watchers.push(watcher),
  };
})();
