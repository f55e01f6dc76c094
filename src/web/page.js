"use strict";
(() => {
  const { add, paint, plot, plotValues, names } = Board;
  const find = (id) => document.getElementById(id);
  const PROMOTIONS = { q: "\u265B\uFE0E", r: "\u265C\uFE0E", b: "\u265D\uFE0E", n: "\u265E\uFE0E" };
  // The last state from the server, and what only this page knows.
  let shown = null;
  const own = { turned: false, chosen: null, focus: "e2", view: null, pieces: new Map(), received: 0, drag: null, error: "" };
  let events = null;
  let choices = null;

  // ---- Server ----

  async function ask(where, body) {
    const request = body === undefined ? {} : { method: "POST", body };
    const answer = await fetch(where, request);
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }
  const gone = () => say("Stopdown does not respond. Run stopdown web again.");
  const kept = () => { try { return JSON.parse(sessionStorage.getItem("game")); } catch { return null; } };

  // Sends an action of the human. Shows the error if it is not allowed.
  async function act(what) {
    try {
      const answer = await ask(`act?session=${shown.session}`, JSON.stringify(what));
      update(answer);
      own.error = answer.error ?? "";
      say(status());
      return !answer.error;
    } catch { await restore().catch(gone); }
    return false;
  }

  async function startGame(setup, session) {
    const answer = await ask(`game${session ? `?session=${session}` : ""}`, JSON.stringify(setup));
    if (answer.error) return answer.error;
    const isNew = !shown || answer.session !== shown.session;
    // In the same session, an event with a newer state may have arrived before the answer.
    if (isNew) shown = null;
    Object.assign(own, { turned: answer.human === "black", chosen: null, view: null, error: "" });
    find("promotion").hidden = true;
    update(answer);
    show();
    if (isNew) { hold(answer.session); listen(); }
    return null;
  }

  // Restores the game of this tab, in a new session if necessary.
  async function restore() {
    const setup = kept()?.setup;
    if (!setup || (await startGame(setup))) {
      await startGame({ opponent: { kind: "level", elo: 1400 } });
    }
  }

  // A tab that is a copy of another gets a session of its own.
  const hold = (session) => new Promise((held) => {
    if (!navigator.locks) { held(true); return; }
    navigator.locks.request(session, { ifAvailable: true }, (lock) => {
      held(Boolean(lock));
      return lock && new Promise(() => {});
    });
  });

  function listen() {
    events?.close();
    events = null;
    if (document.hidden || !shown) return;
    const stream = new EventSource(`events?session=${shown.session}`);
    events = stream;
    stream.onmessage = (event) => update(JSON.parse(event.data));
    stream.onerror = () => {
      if (stream.readyState === EventSource.CLOSED && stream === events) restore().catch(gone);
    };
  }

  // ---- Display ----

  // Makes a sentence of a message from the server.
  const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;

  function update(state) {
    if (shown && (state.session !== shown.session || state.version < shown.version)) return;
    const before = shown;
    shown = state;
    own.received = performance.now();
    const moves = state.moves.map((m) => m.uci);
    const setup = { ...state.setup, moves, left: state.left };
    sessionStorage.setItem("game", JSON.stringify({ session: state.session, setup }));
    if (!before || before.moves.length !== moves.length) {
      own.error = "";
      own.view = null;
      own.chosen = null;
      find("promotion").hidden = true;
    }
    show();
  }

  const isHuman = (white) => shown.people[white ? 0 : 1];
  // Whether one person plays against the engine. The page says "you" to that person.
  const isYours = () => shown.people[0] !== shown.people[1];
  const side = (white) => (white ? "White" : "Black");
  const nameOf = (white) => isHuman(white) ? (isYours() ? "You" : side(white)) : shown.names[white ? 0 : 1];
  const targets = (from) => shown.legal.filter((uci) => uci.startsWith(from));

  function show() {
    showBoard();
    const isOver = Boolean(shown.result);
    const row = (id, isWhite) => {
      const line = find(id);
      line.firstElementChild.textContent = nameOf(isWhite);
      line.classList.toggle("mover", shown.white === isWhite && !isOver);
    };
    row("top", own.turned);
    row("bottom", !own.turned);
    showClocks();
    find("introduction").textContent = shown.introduction ? `Your opponent plays ${shown.introduction}.` : "";
    find("undo").disabled = !shown.moves.some((m) => isHuman(m.white));
    find("resign").disabled = isOver || !shown.people.includes(true);
    find("draw").disabled = isOver || !shown.legal.length || shown.draw_asked;
    find("draw").textContent = shown.draw_offered ? "Accept draw" : shown.people.includes(false) ? "Offer draw" : "Agree to a draw";
    find("learn").hidden = !isOver || !shown.moves.length;
    find("pgn").hidden = !shown.moves.length;
    find("pgn").href = `pgn?session=${shown.session}`;
    listMoves();
    showBelief();
    say(status());
  }

  function status() {
    const last = shown.moves[shown.moves.length - 1];
    const move = last ? `${isYours() ? nameOf(last.white) : side(last.white)} played ${last.san}. ` : "";
    const opponent = nameOf(shown.human !== "white");
    if (own.error) return sentence(own.error);
    if (shown.problem) return `The game cannot continue: ${shown.problem}.`;
    if (shown.verdict) return `${move}${shown.verdict}.`;
    if (shown.draw_asked) return "Your opponent is considering the draw offer.";
    if (shown.draw_offered) return `${move}${opponent} offers a draw. Accept it, or play on.`;
    if (shown.thinking) return `${move}${isYours() ? opponent : side(shown.white)} is thinking.`;
    if (!isYours()) return `${move}${side(shown.white)} to move${shown.check ? ", in check" : ""}.`;
    return `${shown.notice ? shown.notice + " " : ""}${move}${shown.check ? "You are in check. " : ""}Your move.`;
  }
  const say = (text) => { if (find("said").textContent !== text) find("said").textContent = text; };

  function showBoard() {
    const at = own.view ?? shown.moves.length;
    const marked = at ? shown.moves[at - 1].squares : [];
    own.pieces = paint(find("board"), shown.boards[at], { turned: own.turned, marked });
    const isNow = at === shown.moves.length;
    document.dispatchEvent(new CustomEvent("position", { detail: {
      session: shown.session, start: shown.boards[0], board: shown.boards[at], isOver: Boolean(shown.result),
      moves: shown.moves.slice(0, at).map((m) => m.uci), next: shown.moves[at]?.uci } }));
    const reached = own.chosen && isNow ? targets(own.chosen).map((uci) => uci.slice(2, 4)) : [];
    if (!find("squares").children.length) {
      for (let index = 0; index < 64; index++) add(find("squares"), "button").type = "button";
    }
    [...find("squares").children].forEach((button, index) => {
      const place = own.turned ? 63 - index : index;
      const square = "abcdefgh"[place % 8] + (8 - (place >> 3));
      const piece = own.pieces.get(square);
      const isTarget = reached.includes(square);
      button.dataset.square = square;
      button.tabIndex = square === own.focus ? 0 : -1;
      button.className = [square === own.chosen && "chosen", isTarget && "target", isTarget && piece && "taken",
        isNow && square === shown.check && "check", piece?.startsWith(shown.white ? "white" : "black") && shown.legal.length && "own"]
        .filter(Boolean).join(" ");
      button.setAttribute("aria-label", `${square}${piece ? `, ${piece}` : ""}${isTarget ? ", legal target" : ""}`);
      button.setAttribute("aria-pressed", String(square === own.chosen));
    });
  }

  function showClocks() {
    const passed = shown.running ? performance.now() - own.received : 0;
    for (const [id, isWhite] of [["top", own.turned], ["bottom", !own.turned]]) {
      const clock = find(id).lastElementChild;
      clock.hidden = !shown.left;
      if (!shown.left) continue;
      const left = Math.max(0, shown.left[isWhite ? 0 : 1] - (shown.white === isWhite ? passed : 0));
      const seconds = left / 1000;
      const whole = Math.floor(seconds);
      clock.textContent = `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}` +
        (seconds < 20 ? `.${Math.floor(10 * (seconds % 1))}` : "");
      clock.classList.toggle("short", seconds < 20);
    }
  }

  function listMoves() {
    const list = find("moves");
    list.replaceChildren();
    const at = own.view ?? shown.moves.length;
    shown.moves.forEach((m, index) => {
      const item = add(list, "li", undefined, index + 1 === at ? "now" : "");
      if (m.white || index === 0) add(item, "i", m.number);
      item.append(m.san);
      if (index + 1 === at) item.setAttribute("aria-current", "true");
      item.addEventListener("click", () => look(index + 1));
      list.append(" ");
    });
    if (own.view === null) list.scrollTop = list.scrollHeight;
  }

  // Shows an earlier position. The game does not change.
  function look(ply) {
    const last = shown.moves.length;
    const to = Math.max(0, Math.min(ply, last));
    own.view = to === last ? null : to;
    own.chosen = null;
    showBoard();
    listMoves();
  }

  function showBelief() {
    const { moves, setup } = shown;
    const read = [true, false].map((white) => ({ white, rating: shown.ratings[white ? 0 : 1] })).filter(({ rating }) => rating);
    find("beliefhead").textContent = isYours() ? "How strong are your moves?" : "How strong are the moves?";
    find("belief").textContent = read.map(({ rating }) => rating.sentence).join(" ");
    const frame = { plies: Math.max(20, moves.length), first: moves[0] ?? { number: "1.", white: true }, pick: look };
    const { kind, elo, scale } = setup.opponent;
    const level = kind === "level" && scale === "FIDE" && isYours() ? [elo] : [];
    const [low, high] = [Math.min(600, ...level), Math.max(2800, ...level)];
    const ticks = [1000, 1500, 2000, 2500].map((n) => [n, String(n)]);
    const lines = read.map(({ white, rating }) => ({ points: rating.points, band: true,
      colour: isYours() ? "var(--mark)" : white ? "var(--white)" : "var(--black)", name: isYours() ? "you" : side(white) }));
    if (level.length) {
      const points = [[0, elo], [frame.plies, elo]];
      lines.push({ points, colour: "var(--white)", dash: "6 4", name: "opponent" });
    }
    plot(find("beliefs"), frame, { title: "Rating with 90 % range", ticks, low, high, lines });
    const isShown = find("show").checked || Boolean(shown.result);
    find("values").hidden = !isShown;
    if (isShown) plotValues(find("values"), frame, shown.values);
  }

  // ---- Moves ----

  function choose(square) {
    own.chosen = square && targets(square).length ? square : null;
    showBoard();
  }

  function touch(square) {
    if (own.view !== null) look(Infinity);
    own.focus = square;
    if (own.chosen && own.chosen !== square && targets(own.chosen + square).length) return move(own.chosen, square);
    return choose(square === own.chosen ? null : square);
  }

  function move(from, to) {
    const found = targets(from + to);
    choose(null);
    if (found.length === 1) { act({ act: "move", text: found[0] }); return; }
    if (!found.length) return;
    const box = find("promotion");
    box.replaceChildren();
    box.hidden = false;
    for (const [letter, sign] of Object.entries(PROMOTIONS)) {
      const button = add(box, "button", sign);
      button.type = "button";
      button.setAttribute("aria-label", names[letter]);
      button.addEventListener("click", () => { box.hidden = true; act({ act: "move", text: from + to + letter }); });
    }
    box.firstElementChild.focus();
  }

  const squareAt = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest?.("#squares button")?.dataset.square;

  function drag(event) {
    const { square, x, y } = own.drag;
    if (!own.drag.moves && Math.hypot(event.clientX - x, event.clientY - y) < 6) return;
    if (!own.drag.moves) {
      own.drag.moves = true;
      own.chosen = square;
      showBoard();
    }
    const piece = find("board").querySelector(`[data-square="${square}"]`);
    const frame = find("board").getBoundingClientRect();
    const at = [event.clientX - frame.left, event.clientY - frame.top].map((p) => (360 * p) / frame.width - 22.5);
    piece.classList.add("dragged");
    piece.parentNode.append(piece);
    piece.setAttribute("transform", `translate(${at[0]} ${at[1]})`);
    const over = squareAt(event);
    for (const button of find("squares").children) {
      button.classList.toggle("over", button.dataset.square === over && button.classList.contains("target"));
    }
  }

  function drop(event) {
    removeEventListener("pointermove", drag);
    const { square, moves } = own.drag;
    own.drag = null;
    if (!moves) return;
    const over = event.type === "pointerup" ? squareAt(event) : null;
    if (over && over !== square && targets(square + over).length) move(square, over);
    else choose(null);
  }

  find("squares").addEventListener("pointerdown", (event) => {
    const square = event.target.dataset.square;
    if (event.button !== 0 || own.view !== null || !square || !targets(square).length) return;
    own.drag = { square, x: event.clientX, y: event.clientY, moves: false };
    addEventListener("pointermove", drag);
    addEventListener("pointerup", drop, { once: true });
  });
  addEventListener("pointercancel", (event) => { if (own.drag) drop(event); });
  find("squares").addEventListener("click", (event) => {
    if (event.target.dataset.square) touch(event.target.dataset.square);
  });
  find("squares").addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8 }[event.key];
    if (event.key === "Escape") choose(null);
    if (!step) return;
    event.preventDefault();
    const all = [...find("squares").children];
    const from = all.indexOf(event.target);
    const to = from + step;
    if (to < 0 || to > 63 || (Math.abs(step) === 1 && to >> 3 !== from >> 3)) return;
    own.focus = all[to].dataset.square;
    event.target.tabIndex = -1;
    all[to].tabIndex = 0;
    all[to].focus();
  });
  find("promotion").addEventListener("keydown", (event) => {
    const buttons = [...find("promotion").children];
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") find("promotion").hidden = true;
    if (event.key === "Tab" || step) {
      event.preventDefault();
      const by = step ?? (event.shiftKey ? -1 : 1);
      buttons[(buttons.indexOf(event.target) + by + buttons.length) % buttons.length].focus();
    }
  });
  find("typed").addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = find("word").value;
    if (text.trim() && (await act({ act: "move", text }))) find("word").value = "";
  });
  find("undo").addEventListener("click", () => act({ act: "undo" }));
  find("draw").addEventListener("click", () => act({ act: "draw" }));
  find("resign").addEventListener("click", () => act({ act: "resign" }));
  find("turn").addEventListener("click", () => { own.turned = !own.turned; show(); });
  find("show").addEventListener("change", showBelief);
  find("moves").addEventListener("keydown", (event) => {
    const at = own.view ?? shown.moves.length;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: Infinity }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    look(to);
  });

  // ---- New game ----

  const value = (id) => find(id).value;
  function showKind() {
    for (const part of document.querySelectorAll("[data-kind]")) part.hidden = part.dataset.kind !== value("kind");
    const { low, high } = choices.scales.find((scale) => scale.name === value("scale"));
    Object.assign(find("elo"), { min: low, max: high });
    find("rated").textContent = value("elo");
    find("ownrated").hidden = value("own") !== "level";
    find("described").textContent = choices.profiles.find((p) => p.name === value("profile"))?.description ?? "";
  }
  find("setup").addEventListener("input", showKind);
  find("setup").addEventListener("submit", async (event) => {
    event.preventDefault();
    const chosen = {
      level: () => ({ elo: Number(value("elo")), scale: value("scale") }),
      imitator: () => ({ offset: Number(value("offset")) }),
      profile: () => ({ name: value("profile") }),
      competence: () => ({ c: Number(value("c")), curve: value("curve"), depth: Number(value("plies")) }),
      full: () => ({}),
      person: () => ({}),
    }[value("kind")]();
    const mine = { level: { kind: "level", elo: Number(value("ownelo")) }, full: { kind: "full" } }[value("own")];
    const [minutes, increment] = value("clock").split(" ").map(Number);
    const setup = {
      opponent: { kind: value("kind"), ...chosen },
      own: mine ?? null,
      engine: find("engine").checked,
      black: value("colour") === "black" || (value("colour") === "any" && Math.random() < 0.5),
      clock: value("clock") ? { minutes, increment } : null,
      paced: find("paced").checked,
      start: value("start"),
      plies: value("after") === "" ? null : Number(value("after")),
    };
    try {
      find("refused").textContent = (await startGame(setup, shown?.session)) ?? "";
      if (!find("refused").textContent) find("table").scrollIntoView({ block: "nearest" });
    } catch (error) { find("refused").textContent = error.message; }
  });

  // ---- Analysis of games ----

  let analysis = null;
  async function analyse(where, body) {
    find("progress").hidden = false;
    find("report").hidden = true;
    find("progressed").textContent = "";
    let answer;
    try { answer = await ask(`${where}depth=${value("depth")}`, body); } catch (error) { answer = { error: error.message }; }
    if (answer.error) { find("progressed").textContent = sentence(answer.error); return; }
    analysis = answer.analysis;
    find("stop").hidden = false;
    find("progress").scrollIntoView({ block: "nearest" });
    const stream = new EventSource(`progress?analysis=${analysis}`);
    stream.onmessage = (event) => {
      const { done, all, games, notices, over, error } = JSON.parse(event.data);
      Object.assign(find("part"), { max: Math.max(1, all), value: done });
      const what = `${games} game${games === 1 ? "" : "s"}`;
      const told = error ? sentence(error) : over ? `${what} analysed.` :
        `Analysing ${what}: ${done} of ${all} positions.`;
      find("progressed").textContent = [told, ...notices].join(" ");
      if (!over) return;
      stream.close();
      find("stop").hidden = true;
      if (error) return;
      const place = `analysis?analysis=${analysis}`;
      Object.assign(find("report"), { hidden: false, href: place });
      find("report").focus();
    };
    stream.onerror = () => { if (stream.readyState === EventSource.CLOSED) gone(); };
  }
  const readFile = (file) => {
    if (!file) return;
    if (file.size > 16 << 20) {
      find("progress").hidden = false;
      find("progressed").textContent = "The file is larger than 16 MiB. Use stopdown analyse in a terminal.";
    } else analyse("games?", file);
  };
  find("learn").addEventListener("click", () => analyse(`read?session=${shown.session}&`, ""));
  find("stop").addEventListener("click", () => ask(`stop?analysis=${analysis}`, "").catch(gone));
  find("file").addEventListener("change", (event) => readFile(event.target.files[0]));
  const isForOpponent = (event) => Boolean(event.target.closest?.("#prepare"));
  const mark = (event) => {
    find("drop").classList.toggle("over", Boolean(event) && !isForOpponent(event));
    find("opponentdrop").classList.toggle("over", Boolean(event) && isForOpponent(event));
  };
  addEventListener("dragover", (event) => { event.preventDefault(); mark(event); });
  addEventListener("dragleave", () => mark(null));
  addEventListener("drop", (event) => {
    event.preventDefault();
    mark(null);
    const file = event.dataTransfer.files[0];
    if (isForOpponent(event)) listPlayers(file);
    else readFile(file);
  });

  // ---- The next opponent ----

  let opponentFile = null;
  let preparation = null;
  const prepared = (text) => { find("preparing").hidden = false; find("prepared").textContent = text; };
  const working = (is) => { find("preparedpart").hidden = !is; find("stopopponent").hidden = !is; find("against").disabled = is; };
  const chosenOpponent = () => find("opponent").selectedOptions[0]?.dataset.name ?? "";
  const nameOpponent = () => { find("against").textContent = `Play against ${chosenOpponent()}`; };

  // Lists the players of a file, so that the user can pick one.
  async function listPlayers(file) {
    if (!file) return;
    find("opponentform").hidden = true;
    working(false);
    if (file.size > 16 << 20) {
      prepared("This file is too large for the page. Use stopdown profile --add instead.");
      return;
    }
    try {
      const { players } = await ask("players", file);
      if (!players.length) { prepared("This file has no games with player names."); return; }
      opponentFile = file;
      find("opponent").replaceChildren();
      players.forEach(([name, games], place) => {
        const option = add(find("opponent"), "option", `${name} (${games} game${games === 1 ? "" : "s"})`);
        option.value = place;
        option.dataset.name = name;
      });
      nameOpponent();
      find("preparing").hidden = true;
      find("opponentform").hidden = false;
    } catch (error) { prepared(error.message); }
  }

  // Makes a profile of the player, then starts a game against it.
  async function prepare() {
    const query = new URLSearchParams({
      player: value("opponent"), scale: value("opponentscale"), depth: value("depth"), keep: find("keep").checked ? 1 : 0,
    });
    let answer;
    try { answer = await ask(`opponent?${query}`, opponentFile); } catch (error) { answer = { error: error.message }; }
    if (answer.error) { working(false); prepared(answer.error); return; }
    preparation = answer.analysis;
    working(true);
    const player = chosenOpponent();
    const stream = new EventSource(`progress?analysis=${preparation}`);
    stream.onmessage = async (event) => {
      const { done, all, notices, over, error, opponent } = JSON.parse(event.data);
      Object.assign(find("preparedpart"), { max: Math.max(1, all), value: done });
      prepared(error ? `No opponent was made: ${error}.` : over ? [`${player} is ready.`, ...notices].join(" ")
        : `Analysing the games of ${player} ...`);
      if (!over) return;
      stream.close();
      working(false);
      if (!opponent) return;
      choices = await ask("choices");
      listProfiles();
      find("kind").value = "profile";
      find("profile").value = opponent;
      showKind();
      find("setup").requestSubmit();
    };
    stream.onerror = () => { if (stream.readyState === EventSource.CLOSED) gone(); };
  }
  find("opponentfile").addEventListener("change", (event) => listPlayers(event.target.files[0]));
  find("opponent").addEventListener("change", nameOpponent);
  find("against").addEventListener("click", prepare);
  find("stopopponent").addEventListener("click", () => ask(`stop?analysis=${preparation}`, "").catch(gone));

  // ---- Start ----

  document.addEventListener("visibilitychange", listen);
  addEventListener("resize", () => { if (shown) showBelief(); });
  setInterval(() => { if (shown?.left && shown.running) showClocks(); }, 100);
  function listProfiles() {
    find("profile").replaceChildren();
    for (const { name } of choices.profiles) add(find("profile"), "option", name);
  }
  async function begin() {
    paint(find("board"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", { turned: false, marked: [] });
    choices = await ask("choices");
    listProfiles();
    for (const { name } of choices.scales) add(find("scale"), "option", name);
    for (const { name } of choices.scales) add(find("opponentscale"), "option", name);
    for (const curve of choices.curves) add(find("curve"), "option", curve);
    const [quick, thorough] = choices.depths;
    add(find("depth"), "option", `${quick} plies (quick)`).value = quick;
    add(find("depth"), "option", `${thorough} plies (accurate ratings)`).value = thorough;
    find("enginerow").hidden = !choices.engine;
    find("enginename").textContent = choices.engine ?? "";
    showKind();
    const session = kept()?.session;
    const state = session && (await hold(session)) ? await ask(`state?session=${session}`) : { gone: true };
    if (state.gone) { await restore(); return; }
    own.turned = state.human === "black";
    update(state);
    listen();
  }
  begin().catch(gone);
})();
