"use strict";
// The board and the charts, for every page with a board.
const Board = (() => {
  const SVG = "http://www.w3.org/2000/svg";

  // Outlines of the pieces on a square of 45 units.
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

  // Draws the pieces of a FEN on an SVG 360 units wide, with the last move marked. Each piece is a group
  // labelled with its square. Returns a map from squares to the names of the pieces on them.
  function paint(board, placement, { turned, marked }) {
    board.replaceChildren();
    const place = (file, rank) => turned ? [45 * (7 - file), 45 * rank] : [45 * file, 45 * (7 - rank)];
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
    const pieces = new Map();
    placement.split("/").forEach((row, down) => {
      let file = 0;
      for (const letter of row) {
        if (letter >= "1" && letter <= "8") { file += Number(letter); continue; }
        const [x, y] = place(file, 7 - down);
        const isWhite = letter < "a";
        const piece = letter.toLowerCase();
        const square = "abcdefgh"[file] + (8 - down);
        pieces.set(square, `${isWhite ? "white" : "black"} ${names[piece]}`);
        const group = draw(board, "g", { transform: `translate(${x} ${y})`, "data-square": square });
        draw(group, "path", {
          d: shapes[piece], fill: isWhite ? "#fffdf8" : "#34302c",
          stroke: isWhite ? "#2a2622" : "#0c0a08", "stroke-width": 1.5, "stroke-linejoin": "round",
        });
        if (!isWhite && "bk".includes(piece)) {
          const d = piece === "b" ? "M22.5 15v8M19 19h7" : "M22.5 4v9M18.5 8h8";
          draw(group, "path", { d, stroke: piece === "b" ? "#fffdf8" : "#0c0a08", "stroke-width": 1.6 });
        }
        file++;
      }
    });
    return pieces;
  }

  // A plot over the plies of a game. `first` is the number of the first move. A click selects a ply.
  // Returns a function that moves the cursor.
  function plot(box, { plies, first, pick }, { title, ticks, low, high, lines }) {
    box.replaceChildren();
    const width = Math.max(280, box.clientWidth);
    const [height, left, right, above, below] = [170, 38, 12, 24, 22];
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
      pick?.(Math.round(((at - left) / (width - left - right)) * plies));
    });
    return (ply) => cursor.setAttribute("d", `M${x(ply)} ${above - 4}V${height - below + 4}`);
  }

  // Evaluations from White's side, on a scale that magnifies small ones.
  function plotValues(box, frame, values) {
    const scaled = (v) => Math.sign(v) * Math.log1p(Math.min(Math.abs(v), 12));
    const ticks = [-10, -3, -1, 0, 1, 3, 10].map((v) => [scaled(v), (v > 0 ? "+" : "") + v]);
    const edge = scaled(12);
    return plot(box, frame, { title: "Evaluation in pawns (+: White is better)", ticks, low: -edge, high: edge,
      lines: [{ points: values.map(([ply, v]) => [ply, scaled(v)]), colour: "var(--mark)", area: true }] });
  }

  return { draw, add, paint, plot, plotValues, names };
})();
