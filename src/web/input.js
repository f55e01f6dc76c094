"use strict";
// Input on the board: mouse, touch and keyboard, planned moves, arrows, and the promotion picker.
(() => {
  const { add, icon, putAt, names } = Board;
  const { ui, sendAction, showPly, showBoard, targets, reachable } = Play;
  const find = (id) => document.getElementById(id);
  const squares = find("squares");
  let drag = null;
  // The square that the last press selected, if any. The click that follows must not deselect it.
  let pressed = null;
  // Whether the keyboard has moved the focus to the board. Arrow keys then go from square to square.
  let byKeyboard = false;
  let isPointerDown = false;

  const squareAt = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest?.("#squares button")?.dataset.square;

  function choose(square) {
    ui.chosen = square && reachable(square).length ? square : null;
    showBoard();
  }

  function clickSquare(square) {
    if (ui.view !== null) showPly(Infinity);
    ui.focus = square;
    ui.arrows = [];
    if (ui.chosen && ui.chosen !== square && reachable(ui.chosen).includes(square)) { move(ui.chosen, square); return; }
    ui.planned = null;
    choose(square === ui.chosen ? null : square);
  }

  function send(uci) {
    ui.sent = [uci.slice(0, 2), uci.slice(2, 4)];
    choose(null);
    sendAction({ act: "move", text: uci });
  }

  function move(from, to) {
    const found = targets(from + to);
    if (!found.length) {
      // It is the opponent's turn.
      ui.planned = [from, to];
      choose(null);
    } else if (found.length === 1) send(found[0]);
    else {
      choose(null);
      pickPromotion(from, to);
    }
  }

  // ---- Planned moves ----

  Play.watch((before, now) => {
    if (now.result || before?.session !== now.session) ui.planned = null;
    if (before && now.moves.length < before.moves.length) { ui.planned = null; showBoard(); }
    const isSameGame = before?.setup.seed === now.setup.seed;
    if (!isSameGame || now.result || before.moves.length !== now.moves.length) find("promotion").hidden = true;
    // The piece may have been captured while the user was dragging it.
    if (drag && ui.pieces.get(drag.square) !== drag.piece) drag = null;
    if (!ui.planned || !now.legal.length) return;
    // A planned promotion makes a queen.
    const found = targets(ui.planned.join(""));
    ui.planned = null;
    const uci = found.find((text) => text.endsWith("q")) ?? found[0];
    if (uci) send(uci);
    else showBoard();
  });

  // ---- Promotion ----

  function focusSquare(square) {
    ui.focus = square;
    showBoard();
    squares.querySelector(`[data-square=${square}]`).focus();
  }

  function pickPromotion(from, to) {
    const box = find("promotion");
    box.replaceChildren();
    const isWhite = to[1] === "8";
    const column = "abcdefgh".indexOf(to[0]);
    const isAbove = isWhite !== ui.flipped;
    box.className = isAbove ? "above" : "below";
    box.style.left = `${12.5 * (ui.flipped ? 7 - column : column)}%`;
    for (const letter of "qrbn") {
      const button = add(box, "button");
      button.type = "button";
      button.setAttribute("aria-label", names[letter]);
      icon(button, isWhite ? letter.toUpperCase() : letter);
      button.addEventListener("click", () => { focusSquare(to); box.hidden = true; send(from + to + letter); });
    }
    ui.focus = from;
    box.hidden = false;
    box.firstElementChild.focus();
  }

  find("promotion").addEventListener("keydown", (event) => {
    const buttons = [...find("promotion").children];
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.key === "Escape") { focusSquare(ui.focus); find("promotion").hidden = true; }
    if (event.key === "Tab" || step) {
      event.preventDefault();
      event.stopPropagation();
      const by = step ?? (event.shiftKey ? -1 : 1);
      buttons[(buttons.indexOf(event.target) + by + buttons.length) % buttons.length].focus();
    }
  });

  // ---- Mouse and touch ----

  function follow(event) {
    if (!drag || event.pointerId !== drag.pointer) return;
    const { square, x, y } = drag;
    if (!drag.moves && Math.hypot(event.clientX - x, event.clientY - y) < 4) return;
    drag.moves = true;
    const piece = find("board").querySelector(`g[data-square="${square}"]`);
    const frame = find("board").getBoundingClientRect();
    const at = [event.clientX - frame.left, event.clientY - frame.top].map((p) => (360 * p) / frame.width - 22.5);
    if (!piece.classList.contains("dragged")) {
      piece.classList.add("dragged");
      piece.parentNode.append(piece);
    }
    putAt(piece, at);
    const over = squareAt(event);
    for (const button of squares.children) {
      button.classList.toggle("over", button.dataset.square === over && button.classList.contains("target"));
    }
  }

  function drop(event) {
    if (!drag || event.pointerId !== drag.pointer) return;
    const { square, moves } = drag;
    drag = null;
    removeEventListener("pointermove", follow);
    if (!moves) return;
    const over = event.type === "pointerup" ? squareAt(event) : null;
    if (over && over !== square && reachable(square).includes(over)) move(square, over);
    else choose(over === square ? square : null);
  }

  // Draws an arrow from the square where the right button was pressed to the one where it was released. Drawing
  // the same arrow again removes it.
  function drawArrow(from, to) {
    const rest = ui.arrows.filter((arrow) => arrow.from !== from || arrow.to !== to);
    ui.arrows = rest.length < ui.arrows.length ? rest : [...rest, { from, to }];
    showBoard();
  }

  squares.addEventListener("pointerdown", (event) => {
    const square = event.target.dataset.square;
    pressed = null;
    find("promotion").hidden = true;
    if (!square || !event.isPrimary) return;
    if (event.button === 2) {
      addEventListener("pointerup", (up) => { const to = squareAt(up); if (to) drawArrow(square, to); }, { once: true });
      return;
    }
    if (event.button !== 0 || ui.view !== null || !reachable(square).length) return;
    if (ui.chosen && ui.chosen !== square && reachable(ui.chosen).includes(square)) return;
    const [x, y] = [event.clientX, event.clientY];
    drag = { square, piece: ui.pieces.get(square), x, y, moves: false, pointer: event.pointerId };
    addEventListener("pointermove", follow);
    if (ui.chosen === square) return;
    pressed = square;
    Object.assign(ui, { planned: null, arrows: [] });
    choose(square);
  });
  addEventListener("pointerup", drop);
  addEventListener("pointercancel", drop);
  squares.addEventListener("contextmenu", (event) => event.preventDefault());
  squares.addEventListener("click", (event) => {
    const square = event.target.dataset.square;
    if (square && square !== pressed) clickSquare(square);
    else if (square) ui.focus = square;
    pressed = null;
  });

  // ---- Keyboard ----

  addEventListener("pointerdown", () => { isPointerDown = true; }, true);
  for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, () => { isPointerDown = false; }, true);
  squares.addEventListener("focusin", ({ relatedTarget }) => {
    // After a promotion, the focus comes back without a key or a click.
    if (!find("promotion").contains(relatedTarget)) byKeyboard = !isPointerDown;
  });

  squares.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8 }[event.key];
    if (event.key === "Escape") {
      drag = null;
      Object.assign(ui, { planned: null, arrows: [] });
      choose(null);
    }
    if (!step || !byKeyboard) return;
    event.preventDefault();
    event.stopPropagation();
    const all = [...squares.children];
    const from = all.indexOf(event.target);
    const to = from + step;
    if (to < 0 || to > 63 || (Math.abs(step) === 1 && to >> 3 !== from >> 3)) return;
    ui.focus = all[to].dataset.square;
    event.target.tabIndex = -1;
    all[to].tabIndex = 0;
    all[to].focus();
  });

  // Everywhere else on the page, the arrow keys step through the moves.
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !Play.state() || find("new").open) return;
    if (event.target.closest?.("input, select, textarea, #promotion, [role=slider]")) return;
    const at = Play.viewedPly();
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: Infinity }[event.key];
    if (to !== undefined) showPly(to);
    else if (event.key.toLowerCase() === "f") find("turn").click();
    else return;
    event.preventDefault();
  });
})();
