// Exercises: the reader sees the position before a mistake, and looks for a better move.
(() => {
  const { add, draw, putAt } = Board;
  const find = (id) => document.getElementById(id);
  const lists = JSON.parse(find("lessons").textContent);
  // A move counts as a right answer if it loses fewer percentage points of winning chances than this.
  const GOOD = 5;
  const [BEST, PLAYED] = ["#0b8a4b", "#c62828"];
  const state = { list: 0, lesson: 0, from: null, solved: new Set(), rating: null };
  // The press on a piece that may become a drag, and whether the last press became one.
  let drag = null;
  let hasDragged = false;
  if (!Viewer || !lists.length) return;

  const list = () => lists[state.list];
  const lesson = () => list().lessons[state.lesson];
  const isWhite = () => lesson().chart.fen.split(" ")[1] === "w";
  const isSolved = () => state.solved.has(lesson());
  const isHere = () => Viewer.at(lesson().game, lesson().ply);
  const percent = (share) => (share >= 0.5 ? `${share.toFixed(0)}%` : "<1%");
  const number = () => Viewer.games[lesson().game].moves[lesson().ply].number;
  const named = ({ moves }, index) => moves[index][1];

  // ---- The board ----

  function squareAt(event) {
    const frame = find("board").getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top].map((p) => Math.floor((8 * p) / frame.width));
    const [file, rank] = Viewer.flipped() ? [7 - x, y] : [x, 7 - y];
    return "abcdefgh"[file] + (rank + 1);
  }

  function middle(square) {
    const [file, rank] = ["abcdefgh".indexOf(square[0]), Number(square[1]) - 1];
    const [x, y] = Viewer.flipped() ? [7 - file, rank] : [file, 7 - rank];
    return [45 * x + 22.5, 45 * y + 22.5];
  }

  function drawArrow(uci, colour) {
    const [[x, y], [toX, toY]] = [middle(uci.slice(0, 2)), middle(uci.slice(2, 4))];
    const length = Math.hypot(toX - x, toY - y);
    const [dx, dy] = [(toX - x) / length, (toY - y) / length];
    const [neckX, neckY] = [toX - 16 * dx, toY - 16 * dy];
    const side = (along, across) => `${(neckX + along * dx - across * dy).toFixed(1)} ${(neckY + along * dy + across * dx).toFixed(1)}`;
    const head = `M${side(0, 9)}L${side(16, 0)}L${side(0, -9)}z`;
    const group = draw(find("board"), "g", { class: "arrow", opacity: 0.85 });
    draw(group, "path", { d: `M${x} ${y}L${neckX} ${neckY}`, stroke: colour, "stroke-width": 6 });
    draw(group, "path", { d: head, fill: colour });
  }

  const from = (square) => lesson().moves.filter(([uci]) => uci.startsWith(square));

  // Adds the selected square, or the arrows that show the answer, to the board.
  function decorate() {
    const { moves, best, played } = lesson();
    const isOpen = isHere() && !isSolved();
    find("board").classList.toggle("answering", isOpen);
    if (isHere() && isSolved()) {
      drawArrow(moves[played][0], PLAYED);
      drawArrow(moves[best][0], BEST);
    }
    if (!isOpen || !state.from) return;
    const [x, y] = middle(state.from);
    draw(find("board"), "rect", { x: x - 21, y: y - 21, width: 42, height: 42, fill: "none", stroke: "#0072b2", "stroke-width": 3 });
    for (const [uci] of from(state.from)) {
      const [cx, cy] = middle(uci.slice(2, 4));
      draw(find("board"), "circle", { cx, cy, r: 7, fill: "#0b5a34", opacity: 0.7 });
    }
  }

  function press(event) {
    const square = squareAt(event);
    const isOwn = event.button === 0 && isHere() && !isSolved() && from(square).length;
    drag = isOwn ? { square, x: event.clientX, y: event.clientY, moves: false } : null;
    hasDragged = false;
  }

  // Draws the dragged piece under the pointer.
  function follow(event) {
    if (!drag || (!drag.moves && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 4)) return;
    if (!drag.moves) {
      drag.moves = true;
      state.from = drag.square;
      Viewer.show();
    }
    const frame = find("board").getBoundingClientRect();
    const piece = find("board").querySelector(`g[data-square="${drag.square}"]`);
    piece.classList.add("dragged");
    putAt(piece, [event.clientX - frame.left, event.clientY - frame.top].map((at) => (360 * at) / frame.width - 22.5));
  }

  function drop(event) {
    hasDragged = Boolean(drag?.moves);
    drag = null;
    if (!hasDragged) return;
    if (event.type === "pointerup") select(squareAt(event));
    else Viewer.show();
  }

  function touch(event) {
    // A click follows a drag.
    if (isHere() && !isSolved() && !hasDragged) select(squareAt(event));
    hasDragged = false;
  }

  // Selects a piece, or moves the selected piece to a square.
  function select(square) {
    const found = state.from ? from(state.from).filter(([uci]) => uci.slice(2, 4) === square) : [];
    // On the board, a pawn always promotes to a queen. For another piece, the user can type the move.
    const chosen = found.find(([uci]) => uci.length < 5 || uci[4] === "q");
    state.from = chosen || square === state.from || !from(square).length ? null : square;
    if (chosen) attempt(lesson().moves.indexOf(chosen));
    Viewer.show();
  }

  // ---- The exercise ----

  function say(text, kind) {
    find("verdict").textContent = text;
    find("verdict").className = kind;
  }

  function attempt(index) {
    const { moves, best, played } = lesson();
    const [, san, lost] = moves[index];
    if (index === best) { solve(`${san} is the best move.`, "right"); return; }
    if (lost < GOOD) { solve(`${san} is good too. The best move is ${named(lesson(), best)}.`, "right"); return; }
    const loses = `loses ${lost.toFixed(0)} percentage points of winning chances. Try again.`;
    say(index === played ? `${san} was played in the game. It ${loses}` : `${san} ${loses}`, "wrong");
  }

  function solve(text, kind) {
    state.solved.add(lesson());
    state.from = null;
    say(text, kind);
    showAnswer();
    Viewer.show();
    find("nextexercise").focus({ preventScroll: true });
  }

  // Removes the differences between common notations, so that moves can be compared as text.
  const plain = (text) => text.replace(/[+#!?x=:\-\s]/g, "").replace(/0/g, "O");

  // The ways to write a move, with more of its first square than necessary.
  function spellings([uci, san]) {
    if (san.startsWith("O")) return [uci, plain(san)];
    const [from, rest] = [uci.slice(0, 2), uci.slice(2)];
    const letter = /^[KQRBN]/.test(san) ? san[0] : "";
    return [uci, plain(san), ...["", from[0], from[1], from].map((part) => letter + part + rest)];
  }

  // The moves that a text fits. Capital letters matter only if they make a difference: bxc3 is not Bxc3.
  function movesOf(text) {
    const { moves } = lesson();
    const found = moves.filter((move) => spellings(move).includes(text));
    if (found.length) return found;
    const lower = text.toLowerCase();
    return moves.filter((move) => spellings(move).some((spelling) => spelling.toLowerCase() === lower));
  }

  // Reads the typed move. There is no form, because the report in stopdown web is sandboxed and cannot submit one.
  function tryTyped() {
    const typed = find("answer").value.trim();
    if (!typed) return;
    const found = movesOf(plain(typed));
    if (found.length !== 1) {
      say(found.length ? `${typed} fits several moves here.` : `${typed} is not a legal move here.`, "wrong");
      return;
    }
    find("answer").value = "";
    attempt(lesson().moves.indexOf(found[0]));
  }

  function answer() {
    const { chances, errs, played } = lesson();
    const [level, stronger] = list().levels;
    const side = isWhite() ? "White" : "Black";
    return `${number()} ${named(lesson(), played)} lowered ${side}'s winning chances from ${percent(chances[0])} to ` +
      `${percent(chances[1])}. Of players rated ${level}, ${percent(errs[0])} make a mistake here. Of players rated ` +
      `${stronger}, only ${percent(errs[1])} do.`;
  }

  function showAnswer() {
    const isShown = isSolved();
    find("attempt").hidden = isShown;
    find("reveal").hidden = isShown;
    find("explained").hidden = !isShown;
    find("explained").textContent = isShown ? answer() : "";
    find("lessonchart").replaceChildren();
    if (!isShown) return;
    add(find("lessonchart"), "h3", "What would they play?");
    const chart = add(find("lessonchart"), "div");
    MovesByRating.show(chart, lesson().chart, {
      rating: state.rating ?? list().levels[0],
      rated: (rating) => { state.rating = rating; },
      played: lesson().moves[lesson().played][0],
    });
  }

  // Shows the task of an exercise beside the board.
  function fill(index) {
    state.lesson = index;
    state.from = null;
    find("answer").value = "";
    const { game, best, played } = lesson();
    say(isSolved() ? `The best move is ${named(lesson(), best)}.` : "", "");
    const { white, black, date } = Viewer.games[game];
    const known = [`${white} \u2013 ${black}`, date].filter((text) => !text.startsWith("?")).join(", ");
    find("exercisehead").textContent = `Exercise ${index + 1} of ${list().lessons.length}`;
    find("task").textContent = `${isWhite() ? "White" : "Black"} played ${number()} ${named(lesson(), played)}. Find a better move.`;
    find("source").textContent = known;
    find("source").hidden = Viewer.games.length < 2;
    [...find("lessonlist").querySelectorAll("button")].forEach((button, place) => {
      if (place === index) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
    find("nextexercise").hidden = list().lessons.length < 2;
    showAnswer();
  }

  function open(index) {
    fill(index);
    Viewer.open(lesson().game, lesson().ply, isWhite());
  }

  function listLessons() {
    const { lessons, levels, scale } = list();
    find("lessonlist").replaceChildren();
    lessons.forEach((one, index) => {
      const move = Viewer.games[one.game].moves[one.ply];
      const button = add(add(find("lessonlist"), "li"), "button", `${move.number} ${move.san}`);
      button.type = "button";
      add(button, "small", `\u2212${(one.chances[0] - one.chances[1]).toFixed(0)}%`);
      button.addEventListener("click", () => open(index));
    });
    find("why").textContent = `Each of these moves reduced the winning chances by at least 10 percentage points. Players rated ${levels[1]} (${scale}) ` +
      `make fewer mistakes in these positions than players rated ${levels[0]}.`;
  }

  lists.forEach(({ player, lessons }, index) => {
    add(find("learner"), "option", `${player} (${lessons.length})`).value = String(index);
  });
  find("learnerrow").hidden = lists.length < 2;
  find("learner").addEventListener("change", (event) => {
    state.list = Number(event.target.value);
    state.rating = null;
    listLessons();
    open(0);
  });
  find("board").addEventListener("pointerdown", press);
  find("board").addEventListener("click", touch);
  addEventListener("pointermove", follow);
  for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, drop);
  find("try").addEventListener("click", tryTyped);
  find("answer").addEventListener("keydown", (event) => { if (event.key === "Enter") tryTyped(); });
  find("reveal").addEventListener("click", () => solve(`The best move is ${named(lesson(), lesson().best)}.`, ""));
  find("nextexercise").addEventListener("click", () => open((state.lesson + 1) % list().lessons.length));
  find("backtoexercise").addEventListener("click", () => open(state.lesson));
  Viewer.whenShown(() => {
    find("backtoexercise").hidden = isHere();
    // The chart would give the answer away.
    if (isHere() && !isSolved()) find("likely").hidden = true;
    decorate();
  });
  find("exercise").hidden = false;
  find("viewer").classList.add("exercising");
  listLessons();
  // Reloading the page keeps the position.
  const here = list().lessons.findIndex(({ game, ply }) => Viewer.at(game, ply));
  if (here >= 0 || !Viewer.isAsked) {
    open(Math.max(0, here));
    const isCutOff = (id) => find(id).getBoundingClientRect().bottom > innerHeight;
    if (isCutOff("board") || isCutOff("task")) document.querySelector("#viewer .stage").scrollIntoView();
  } else {
    fill(0);
    Viewer.show();
  }
})();
