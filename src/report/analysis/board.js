"use strict";
// The board and the charts, for every page with a board.
const Board = (() => {
  const SVG = "http://www.w3.org/2000/svg";

  // The shapes of the pieces, on a square of 45 units: the outline, and the lines inside it.
  const disc = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
  const foot = "M10.5 39.5c0-4 1.8-6 4.5-6h15c2.7 0 4.5 2 4.5 6z";
  const shapes = {
    p: { outline: "M22.5 8.5a5.3 5.3 0 0 1 3.4 9.4c3.8 2 6 6.2 6.6 12.3 2.4 1.2 3.8 4 3.8 9.3H8.7c0-5.3 1.4-8.1 3.8-9.3" +
      ".6-6.1 2.8-10.3 6.6-12.3a5.3 5.3 0 0 1 3.4-9.4z", lines: "M12.5 30.2c6-1.4 14-1.4 20 0M19.1 17.9h6.8" },
    r: { outline: "M10.5 8.5h5.4v3.7h4V8.5h5.2v3.7h4V8.5h5.4v8.2l-3.6 3.1v10.4l3.1 2.8v6.5H11v-6.5l3.1-2.8V19.8l-3.6-3.1z",
      lines: "M10.5 16.7h24M14.1 19.8h16.8M14.1 30.2h16.8M11 33h23" },
    n: { outline: "M13.5 39.5c-.4-8.6 6.2-11 7.4-16.4-2.4 2.2-5.4 2.6-8 4.6l-4.7-4c1.6-3.6 3.9-6.6 5.3-10.4.4-1.4.2-3 .6-6" +
      "l4.6 3.4c10.6-.4 17.6 9 17.3 28.8z", eyes: disc(17.4, 16.2, 1) + disc(11.6, 22.9, 0.7),
      lines: "M25.5 12.8c5.6 4.2 7.6 12.6 7.4 23.2" },
    b: { outline: disc(22.5, 7.4, 2.5) + "M22.5 10.2c7 5.6 9.2 12.8 4.8 18.3h-9.6c-4.4-5.5-2.2-12.7 4.8-18.3z" +
      "M17.7 28.5h9.6l1.7 5.2H16zM8.5 39.5c.4-4 4-5.2 9-5.4l5 1.2 5-1.2c5 .2 8.6 1.4 9 5.4-5 .6-9.6.2-14-2-4.4 2.2-9 2.6-14 2z",
      lines: "M22.5 15.4v8M18.7 19.2h7.6M17.7 28.5h9.6" },
    q: { outline: "M9.2 15.2l5.3 13.3h16l5.3-13.3-7.4 6.6-.8-11.4-5.1 9.8-5.1-9.8-.8 11.4zM14.5 28.5h16l-1 5h-14z" +
      disc(8.4, 13.2, 2) + disc(17.2, 8.4, 2) + disc(27.8, 8.4, 2) + disc(36.6, 13.2, 2) + foot,
      lines: "M14.5 28.5c5-1.2 11-1.2 16 0M15.5 33.5h14" },
    k: { outline: "M22.5 4v8M19.2 6.9h6.6M22.5 12c2.6 0 3.8 2.6 2.6 6.6 4.4-3.6 11.8-2.6 12 3.2.2 4.2-4.2 6.2-6.6 8.7h-16" +
      "c-2.4-2.5-6.8-4.5-6.6-8.7.2-5.8 7.6-6.8 12-3.2-1.2-4 0-6.6 2.6-6.6zM14.5 30.5h16l-1 3h-14z" + foot,
      lines: "M22.5 18v9.5M14.5 30.5h16M15.5 33.5h14" },
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

  // Draws a piece, given its letter in FEN.
  function drawPiece(parent, letter) {
    const isWhite = letter < "a";
    const { outline, eyes, lines } = shapes[letter.toLowerCase()];
    const line = isWhite ? "#000" : "#ececec";
    const round = { "stroke-width": 1.5, "stroke-linecap": "round", "stroke-linejoin": "round" };
    draw(parent, "path", { d: outline, fill: isWhite ? "#fff" : "#000", stroke: "#000", ...round });
    if (eyes) draw(parent, "path", { d: eyes, fill: line });
    draw(parent, "path", { d: lines, fill: "none", stroke: line, ...round, "stroke-width": isWhite ? 1.4 : 1.2 });
  }

  // A small picture of a piece for a line of text.
  function icon(parent, letter) {
    const svg = draw(parent, "svg", { viewBox: "4 4 37 37", "aria-hidden": "true", class: "piece" });
    drawPiece(svg, letter);
    return svg;
  }

  // The pieces in a FEN, by square.
  function read(placement) {
    const pieces = new Map();
    placement.split("/").forEach((row, down) => {
      let file = 0;
      for (const letter of row) {
        if (letter >= "1" && letter <= "8") { file += Number(letter); continue; }
        pieces.set("abcdefgh"[file] + (8 - down), letter);
        file++;
      }
    });
    return pieces;
  }

  const FILES = "abcdefgh";
  // The corner of a square on a board of 360 units.
  function corner(square, flipped) {
    const [file, rank] = [FILES.indexOf(square[0]), Number(square[1]) - 1];
    return flipped ? [45 * (7 - file), 45 * rank] : [45 * file, 45 * (7 - rank)];
  }

  // The layers of each board, from the bottom: squares, marks, pieces, arrows.
  const boards = new WeakMap();
  function layersOf(board, flipped) {
    const known = boards.get(board);
    if (known && known.flipped === flipped && known.squares.isConnected) return known;
    board.replaceChildren();
    const layers = { flipped, placed: new Map() };
    const glow = draw(draw(board, "defs", {}), "radialGradient", { id: "check-glow" });
    for (const [offset, opacity] of [[0.2, 0.95], [0.6, 0.6], [1, 0]]) {
      draw(glow, "stop", { offset, "stop-color": "#e0201c", "stop-opacity": opacity });
    }
    for (const name of ["squares", "marks", "pieces", "arrows"]) layers[name] = draw(board, "svg", { class: name, overflow: "visible" });
    for (let rank = 1; rank <= 8; rank++) {
      for (const file of FILES) {
        const [x, y] = corner(file + rank, flipped);
        const isLight = (FILES.indexOf(file) + rank) % 2 === 0;
        draw(layers.squares, "rect", { x, y, width: 45, height: 45, fill: isLight ? "#f0d9b5" : "#b58863" });
        const label = { "font-size": 8, "font-weight": 600, "font-family": "sans-serif", fill: isLight ? "#946b48" : "#f7ead6" };
        if (y === 315) draw(layers.squares, "text", { ...label, x: x + 38, y: 357 }, file);
        if (x === 0) draw(layers.squares, "text", { ...label, x: 2, y: y + 9 }, String(rank));
      }
    }
    layers.own = [...board.children];
    boards.set(board, layers);
    return layers;
  }

  function drawMarks(layer, pieces, { flipped, marked = [], chosen, check, targets = [], planned = [] }) {
    layer.replaceChildren();
    const fill = (square, colour) => {
      const [x, y] = corner(square, flipped);
      draw(layer, "rect", { x, y, width: 45, height: 45, fill: colour });
    };
    marked.forEach((square) => fill(square, "#9bc70069"));
    planned.forEach((square) => fill(square, "#1e5a8c99"));
    if (chosen) fill(chosen, "#14551e80");
    if (check) fill(check, "url(#check-glow)");
    for (const square of targets) {
      const [x, y] = corner(square, flipped).map((at) => at + 22.5);
      if (pieces.has(square)) {
        draw(layer, "circle", { cx: x, cy: y, r: 20, fill: "none", stroke: "#14551e80", "stroke-width": 4.5 });
      } else draw(layer, "circle", { cx: x, cy: y, r: 6.5, fill: "#14551e80" });
    }
  }

  function drawArrows(layer, arrows, flipped) {
    layer.replaceChildren();
    for (const { from, to, colour = "#15781b" } of arrows) {
      const [x, y] = corner(from, flipped).map((at) => at + 22.5);
      if (!to || to === from) {
        draw(layer, "circle", { cx: x, cy: y, r: 20, fill: "none", stroke: colour, "stroke-width": 3, opacity: 0.75 });
        continue;
      }
      const [endX, endY] = corner(to, flipped).map((at) => at + 22.5);
      const length = Math.hypot(endX - x, endY - y);
      const [dx, dy] = [(endX - x) / length, (endY - y) / length];
      const along = (far, side) => `${(x + far * dx - side * dy).toFixed(1)} ${(y + far * dy + side * dx).toFixed(1)}`;
      const neck = length - 15;
      const d = `M${along(10, 3)}L${along(neck, 3)}L${along(neck, 9)}L${along(length, 0)}L${along(neck, -9)}` +
        `L${along(neck, -3)}L${along(10, -3)}z`;
      draw(layer, "path", { d, fill: colour, opacity: 0.75 });
    }
  }

  // Puts a piece on its square. If it comes from another square, it glides there.
  const putAt = (element, [x, y]) => { element.style.transform = `translate(${x}px, ${y}px)`; };

  // Moves the existing pieces to their new squares. If a piece appears on a square, it is assumed to be the nearest
  // piece of the same kind that has left its square.
  function movePieces(layers, pieces, flipped) {
    const before = layers.placed;
    const after = new Map();
    for (const [square, letter] of pieces) {
      const there = before.get(square);
      if (there?.letter !== letter) continue;
      after.set(square, there);
      before.delete(square);
    }
    const distance = (a, b) => Math.hypot(a.charCodeAt(0) - b.charCodeAt(0), a.charCodeAt(1) - b.charCodeAt(1));
    for (const [square, letter] of pieces) {
      if (after.has(square)) continue;
      const free = [...before].filter(([, piece]) => piece.letter === letter);
      const [from] = free.sort(([a], [b]) => distance(a, square) - distance(b, square))[0] ?? [];
      let piece = before.get(from);
      if (piece) before.delete(from);
      else {
        piece = { letter, element: draw(layers.pieces, "g", {}) };
        drawPiece(piece.element, letter);
      }
      // A moving piece is drawn above the others.
      if (from) {
        layers.pieces.append(piece.element);
        // This makes the browser lay out the piece in its old place first. Otherwise it would jump instead of gliding.
        getComputedStyle(piece.element).getPropertyValue("transform");
      }
      after.set(square, piece);
    }
    for (const { element } of before.values()) element.remove();
    for (const [square, { element }] of after) {
      element.dataset.square = square;
      element.classList.remove("dragged");
      putAt(element, corner(square, flipped));
    }
    layers.placed = after;
  }

  // Draws a position, given as a FEN or as the pieces by square, on an SVG 360 units wide. Marks are under the
  // pieces: the last move, the chosen square and its targets, a check, and a planned move. Each piece is a group
  // labelled with its square. Returns a map from squares to the names of the pieces on them.
  function paint(board, placement, { flipped = false, arrows = [], ...marks }) {
    const pieces = typeof placement === "string" ? read(placement) : placement;
    const layers = layersOf(board, flipped);
    // Anything that the page itself added to the board belongs to the previous position.
    for (const added of [...board.children]) if (!layers.own.includes(added)) added.remove();
    drawMarks(layers.marks, pieces, { flipped, ...marks });
    movePieces(layers, pieces, flipped);
    drawArrows(layers.arrows, arrows, flipped);
    return new Map([...pieces].map(([square, letter]) =>
      [square, `${letter < "a" ? "white" : "black"} ${names[letter.toLowerCase()]}`]));
  }

  // Draws a plot over the plies of a game. `first` is the number of the first move. A click selects a ply.
  // Returns a function that moves the cursor.
  function plot(box, { plies, first, pick }, { title, ticks, low, high, lines }) {
    box.replaceChildren();
    const width = Math.max(280, box.clientWidth);
    const named = lines.filter(({ name }) => name);
    // The legend is beside the title, or below it if the chart is narrow.
    const legend = named.reduce((sum, { name }) => sum + 7 * name.length + 40, 0);
    const isNarrow = legend > 0 && 7 * title.length + legend > width - 50;
    const [height, left, right, below] = [170, 38, 12, 22];
    const above = isNarrow ? 42 : 24;
    const keyLine = isNarrow ? 30 : 13;
    const x = (ply) => left + ((width - left - right) * ply) / plies;
    const y = (value) => above + ((height - above - below) * (high - Math.min(value, high))) / (high - low || 1);
    const svg = draw(box, "svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": title });
    draw(svg, "text", { x: left, y: 13 }, title);
    for (const [value, text] of ticks) {
      draw(svg, "path", { class: "grid", d: `M${left} ${y(value)}H${width - right}` });
      draw(svg, "text", { x: left - 5, y: y(value) + 4, "text-anchor": "end" }, text);
    }
    const start = first ? parseInt(first.number, 10) : 1;
    const half = first && !first.white ? 1 : 0;
    const every = [5, 10, 20, 40, 80].find((n) => (plies / 2 / n) * 34 < width - left) || 160;
    for (let number = Math.ceil(start / every) * every; 2 * (number - start) + 1 - half <= plies; number += every) {
      draw(svg, "text", { x: x(2 * (number - start) + 1 - half), y: height - 6, "text-anchor": "middle" }, String(number));
    }
    for (const { points, band, colour, dash, area } of lines) {
      // A line or an area through a single point would be invisible.
      if (points.length === 1) {
        const [[ply, value, ...ends]] = points;
        if (band) draw(svg, "path", { d: `M${x(ply)} ${y(ends[1])}V${y(ends[0])}`, stroke: colour, "stroke-width": 6, opacity: 0.3 });
        draw(svg, "circle", { cx: x(ply), cy: y(value), r: 3.5, fill: colour });
        continue;
      }
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
    for (const { name, colour, dash } of [...named].reverse()) {
      const label = draw(svg, "text", { x: key, y: keyLine, "text-anchor": "end" }, name);
      key -= (label.getComputedTextLength() || 7 * name.length) + 6;
      draw(svg, "path", { d: `M${key - 20} ${keyLine - 4}h20`, stroke: colour, "stroke-width": 2, "stroke-dasharray": dash || "none" });
      key -= 34;
    }
    const cursor = draw(svg, "path", { class: "cursor" });
    svg.addEventListener("click", (event) => {
      const frame = svg.getBoundingClientRect();
      const at = ((event.clientX - frame.left) * width) / frame.width;
      pick?.(Math.round(((at - left) / (width - left - right)) * plies));
    });
    return (ply) => cursor.setAttribute("d", `M${x(ply)} ${above - 4}V${height - below + 4}`);
  }

  // Plots evaluations from White's point of view, on a scale that magnifies small ones.
  function plotValues(box, frame, values) {
    const scaled = (v) => Math.sign(v) * Math.log1p(Math.min(Math.abs(v), 12));
    const ticks = [-10, -3, -1, 0, 1, 3, 10].map((v) => [scaled(v), (v > 0 ? "+" : "") + v]);
    const edge = scaled(12);
    return plot(box, frame, { title: "Evaluation in pawns (+: White is better)", ticks, low: -edge, high: edge,
      lines: [{ points: values.map(([ply, v]) => [ply, scaled(v)]), colour: "var(--mark)", area: true }] });
  }

  return { draw, add, icon, read, paint, putAt, plot, plotValues, names };
})();
