"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const games = JSON.parse(document.getElementById("data").textContent);
  const find = (id) => document.getElementById(id);
  const state = { game: 0, ply: 0, turned: false };
  const paint = ["var(--black)", "var(--white)"];

  // Outlines of the men on a square of 45.
  const base = "M12 39c0-3 2-5 4-5h13c2 0 4 2 4 5z";
  const disc = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
  const shapes = {
    p: disc(22.5, 14, 6) + "M22.5 19c6 3 8 10 9 14H13.5c1-4 3-11 9-14zM11 34h23v5H11z",
    r: "M11 9h5v4h4V9h5v4h4V9h5v8l-4 3v12l3 2v5H12v-5l3-2V20l-4-3z",
    n: "M13 39c0-9 7-11 8-17l-6 4-4-4 6-11 1-5 4 4c10 1 13 13 12 29z" + disc(19.5, 15, 0.8),
    b: disc(22.5, 8, 2.8) + "M22.5 11c7 6 8 12 4 17h-8c-4-5-3-11 4-17zM16 29h13v3H16z" +
      "M11 39c0-4 5-5 8-6h7c3 1 8 2 8 6zM22.5 15v8M19 19h7",
    q: "M9 13l6 16h15l6-16-7.5 9-6-13-6 13z" + disc(9, 11, 2.2) + disc(22.5, 7, 2.2) +
      disc(36, 11, 2.2) + "M14 30h17v3H14z" + base,
    k: "M22.5 4v9M18.5 8h8M22.5 13c6-3 14-1 13 6-1 5-5 7-6 10h-14c-1-3-5-5-6-10-1-7 7-9 13-6z" +
      "M14 30h17v3H14z" + base,
  };
  const names = { p: "pawn", r: "rook", n: "knight", b: "bishop", q: "queen", k: "king" };

  const draw = (parent, kind, attributes, text) => {
    const made = document.createElementNS(SVG, kind);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    return parent.appendChild(made);
  };
  const add = (parent, kind, text, className) => {
    const made = document.createElement(kind);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return parent.appendChild(made);
  };
  const current = () => games[state.game];

  function showBoard() {
    const board = find("board");
    board.replaceChildren();
    const { boards, moves } = current();
    const place = (file, rank) =>
      state.turned ? [45 * (7 - file), 45 * rank] : [45 * file, 45 * (7 - rank)];
    const marked = state.ply ? moves[state.ply - 1].squares : [];
    for (let rank = 0; rank < 8; rank++) {
      for (let file = 0; file < 8; file++) {
        const [x, y] = place(file, rank);
        const isMarked = marked.includes("abcdefgh"[file] + (rank + 1));
        const isLight = (file + rank) % 2 === 1;
        const fill = isMarked ? (isLight ? "#f3dd7a" : "#d9b94a") : isLight ? "#f1e6d2" : "#b3906a";
        draw(board, "rect", { x, y, width: 45, height: 45, fill });
        const label = { "font-size": 8, "font-family": "sans-serif", fill: isLight ? "#8a6a45" : "#f8f0e2" };
        if (y === 315) draw(board, "text", { ...label, x: x + 38, y: 357 }, "abcdefgh"[file]);
        if (x === 0) draw(board, "text", { ...label, x: 2, y: y + 9 }, String(rank + 1));
      }
    }
    const men = [];
    boards[state.ply].split("/").forEach((row, down) => {
      let file = 0;
      for (const letter of row) {
        if (letter >= "1" && letter <= "8") { file += Number(letter); continue; }
        const [x, y] = place(file, 7 - down);
        const isWhite = letter < "a";
        const man = letter.toLowerCase();
        men.push(`${isWhite ? "white" : "black"} ${names[man]} ${"abcdefgh"[file]}${8 - down}`);
        draw(board, "path", {
          d: shapes[man], transform: `translate(${x} ${y})`, fill: isWhite ? "#fffdf8" : "#34302c",
          stroke: isWhite ? "#2a2622" : "#0c0a08", "stroke-width": 1.5, "stroke-linejoin": "round",
        });
        if (!isWhite && "bk".includes(man)) {
          const d = man === "b" ? "M22.5 15v8M19 19h7" : "M22.5 4v9M18.5 8h8";
          draw(board, "path", { d, transform: `translate(${x} ${y})`,
            stroke: man === "b" ? "#fffdf8" : "#0c0a08", "stroke-width": 1.6 });
        }
        file++;
      }
    });
    board.setAttribute("aria-label", "Board: " + men.join(", "));
  }

  function showNames() {
    const { white, black, elo, moves } = current();
    const beliefs = [null, null];
    moves.slice(0, state.ply).forEach((m) => { if (m.choice) beliefs[+m.white] = m.choice.competence; });
    const next = moves[state.ply] || moves[state.ply - 1];
    const fill = (id, isWhite) => {
      const line = find(id);
      const belief = beliefs[+isWhite];
      const rating = elo[isWhite ? 0 : 1];
      line.replaceChildren();
      add(line, "span", (isWhite ? "White \u00B7 " + white : "Black \u00B7 " + black) + (rating ? ` (${rating})` : ""));
      if (belief) add(line, "span", `c = ${belief[0].toFixed(1)}`);
      line.classList.toggle("mover", Boolean(moves[state.ply]) && next.white === isWhite);
    };
    fill("top", state.turned);
    fill("bottom", !state.turned);
  }

  const mark = (choice) =>
    !choice || choice.loss < 0.5 ? "" : choice.loss < 1 ? "?!" : choice.loss < 2 ? "?" : "??";

  function listMoves() {
    const list = find("moves");
    list.replaceChildren();
    current().moves.forEach((m, index) => {
      const item = add(list, "li");
      if (m.white || index === 0) add(item, "i", m.number);
      item.append(m.san + mark(m.choice));
      item.classList.toggle("uncounted", !m.choice || Boolean(m.choice.left_out));
      item.addEventListener("click", () => go(index + 1));
      list.append(" ");
    });
  }

  function tell() {
    const { moves, result, values } = current();
    if (!state.ply) return "The position at the start.";
    const { number, san, choice, white } = moves[state.ply - 1];
    const end = state.ply === moves.length ? ` The game ended ${result}.` : "";
    if (!choice) return `${number} ${san}, not valued.${end}`;
    const [, value, rank, expected] = choice.moves[choice.chosen];
    const [c, low, high] = choice.competence;
    const best = choice.loss > 0 ? `, where ${choice.moves[0][0]} was worth ${choice.moves[0][1]}` : "";
    const left = choice.left_out ? ` Not counted: ${choice.left_out}.` : "";
    const who = white ? "White" : "Black";
    return `${number} ${san}: worth ${value}${best}; number ${rank} of ${choice.moves.length}, ` +
      `expected with ${expected.toFixed(1)} %, ${choice.surprise.toFixed(1)} bits of surprise. ` +
      `${who} now looks like c = ${c.toFixed(1)} (90 %: ${low.toFixed(1)} to ${high.toFixed(1)}).${left}${end}`;
  }

  function showChoices() {
    const body = find("choices");
    body.replaceChildren();
    const m = current().moves[state.ply - 1];
    find("choicehead").textContent = m ? `Choices at ${m.number} ${m.san}` : "Choices";
    if (!m || !m.choice) {
      const cell = add(add(body, "tr"), "td", m ? "This move was not valued." : "No move yet.");
      cell.colSpan = 5;
      return;
    }
    const top = Math.max(...m.choice.moves.map((row) => row[3]), 1e-9);
    m.choice.moves.forEach(([san, value, rank, expected], index) => {
      const row = add(body, "tr", undefined, index === m.choice.chosen ? "chosen" : "");
      add(row, "td", index === m.choice.chosen ? `\u25B6\uFE0E ${san} (played)` : san);
      add(row, "td", value);
      add(row, "td", String(rank));
      add(row, "td", expected.toFixed(1) + " %");
      const bar = add(row, "td", undefined, "bar");
      bar.setAttribute("aria-hidden", "true");
      add(bar, "div").style.width = (100 * expected) / top + "%";
    });
  }

  // A plot over the plies of the game; gives a function that puts the cursor somewhere.
  function plot(id, { title, ticks, low, high, lines }) {
    const box = find(id);
    box.replaceChildren();
    const width = Math.max(280, box.clientWidth);
    const [height, left, right, above, below] = [170, 38, 12, 24, 22];
    const plies = Math.max(1, current().moves.length);
    const x = (ply) => left + ((width - left - right) * ply) / plies;
    const y = (value) => above + ((height - above - below) * (high - Math.min(value, high))) / (high - low || 1);
    const svg = draw(box, "svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": title });
    draw(svg, "text", { x: left, y: 13 }, title);
    for (const [value, text] of ticks) {
      draw(svg, "path", { class: "grid", d: `M${left} ${y(value)}H${width - right}` });
      draw(svg, "text", { x: left - 5, y: y(value) + 4, "text-anchor": "end" }, text);
    }
    const first = current().moves[0];
    const start = first ? parseInt(first.number, 10) : 1;
    const half = first && !first.white ? 1 : 0;
    const every = [5, 10, 20, 40, 80].find((n) => (plies / 2 / n) * 34 < width - left) || 160;
    for (let number = Math.ceil(start / every) * every; 2 * (number - start) + 1 - half <= plies; number += every) {
      draw(svg, "text", { x: x(2 * (number - start) + 1 - half), y: height - 6, "text-anchor": "middle" }, String(number));
    }
    for (const { points, band, colour, dash, area } of lines) {
      const path = (list, pick) => list.map((p, i) => `${i ? "L" : "M"}${x(p[0]).toFixed(1)} ${y(pick(p)).toFixed(1)}`).join("");
      if (band && points.length) {
        const back = [...points].reverse();
        const d = path(points, (p) => p[3]) + "L" + path(back, (p) => p[2]).slice(1) + "z";
        draw(svg, "path", { d, fill: colour, opacity: 0.15 });
      }
      if (area && points.length) {
        const ends = [points[points.length - 1][0], points[0][0]];
        draw(svg, "path", { d: `${path(points, (p) => p[1])}L${x(ends[0])} ${y(0)}L${x(ends[1])} ${y(0)}z`, fill: colour, opacity: 0.15 });
      }
      draw(svg, "path", { d: path(points, (p) => p[1]), fill: "none", stroke: colour, "stroke-width": 2,
        "stroke-linejoin": "round", "stroke-dasharray": dash || "none" });
    }
    let key = width - right;
    for (const { name, colour, dash } of [...lines].reverse()) {
      if (!name) continue;
      const label = draw(svg, "text", { x: key, y: 13, "text-anchor": "end" }, name);
      key -= (label.getComputedTextLength() || 7 * name.length) + 6;
      draw(svg, "path", { d: `M${key - 20} 9h20`, stroke: colour, "stroke-width": 2, "stroke-dasharray": dash || "none" });
      key -= 34;
    }
    const cursor = draw(svg, "path", { class: "cursor" });
    svg.addEventListener("click", (event) => {
      const frame = svg.getBoundingClientRect();
      const at = ((event.clientX - frame.left) * width) / frame.width;
      go(Math.round(((at - left) / (width - left - right)) * plies));
    });
    return (ply) => cursor.setAttribute("d", `M${x(ply)} ${above - 4}V${height - below + 4}`);
  }

  let cursors = [];

  function showPlots() {
    const { values, moves } = current();
    const scaled = (v) => Math.sign(v) * Math.log1p(Math.min(Math.abs(v), 12));
    const points = values.map((v, ply) => [ply, v]).filter((p) => p[1] !== null).map(([ply, v]) => [ply, scaled(v)]);
    const marks = [-10, -3, -1, 0, 1, 3, 10].map((v) => [scaled(v), (v > 0 ? "+" : "") + v]);
    const edge = scaled(12);
    const side = (isWhite) => moves.map((m, index) => [index + 1, m])
      .filter(([, m]) => m.white === isWhite && m.choice && !m.choice.left_out)
      .map(([ply, m]) => [ply, ...m.choice.competence]);
    const both = [side(true), side(false)];
    const most = Math.max(10, ...both.flat().map((p) => 1.5 * p[1]));
    const step = [2, 5, 10, 20].find((n) => most / n <= 5) || 20;
    const grid = [];
    for (let c = 0; c <= most; c += step) grid.push([c, String(c)]);
    cursors = [
      plot("values", { title: "Value for White, pawns", ticks: marks, low: -edge, high: edge,
        lines: [{ points, colour: "var(--mark)", area: true }] }),
      plot("competences", { title: "Competence c so far, 90 %", ticks: grid, low: 0, high: most,
        lines: [
          { points: both[0], band: true, colour: paint[1], name: "White" },
          { points: both[1], band: true, colour: paint[0], dash: "6 4", name: "Black" },
        ] }),
    ];
  }

  function show() {
    showBoard();
    showNames();
    showChoices();
    cursors.forEach((move) => move(state.ply));
    find("said").textContent = tell();
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
    [atEnd.back, atEnd.forth] = [atEnd.first, atEnd.last];
    for (const [id, is] of Object.entries(atEnd)) find(id).setAttribute("aria-disabled", String(is));
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
    find("about").textContent = [event, date, result].filter((text) => text && !text.startsWith("?")).join(", ");
    listMoves();
    showPlots();
    go(ply);
  }

  games.forEach(({ white, black, date }, index) => {
    const option = add(find("game"), "option", `${index + 1}. ${white} \u2013 ${black}, ${date}`);
    option.value = String(index);
  });
  if (!games.length) return;
  find("viewer").hidden = false;
  const step = { first: () => go(0), back: () => go(state.ply - 1), forth: () => go(state.ply + 1),
    last: () => go(Infinity), turn: () => { state.turned = !state.turned; show(); } };
  for (const [id, act] of Object.entries(step)) find(id).addEventListener("click", act);
  find("game").addEventListener("change", (event) => choose(Number(event.target.value), 0));
  const keys = { ArrowLeft: step.back, ArrowRight: step.forth, Home: step.first, End: step.last,
    f: step.turn, n: () => choose(state.game + 1, 0), p: () => choose(state.game - 1, 0) };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("select, input")) return;
    const act = keys[event.key] || keys[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
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
})();
