// The chart of the moves that players of all ratings would play, for every page with a board.
const MovesByRating = (() => {
  const { draw, add } = Board;
  const HEIGHT = 260;
  const [LEFT, RIGHT, ABOVE, BELOW] = [38, 78, 12, 38];
  const HALF = 50;
  const STEP = 50;
  // The minimum distance between the labels of two lines.
  const LINE_HEIGHT = 14;

  const colour = (index) => `var(--move${index + 1})`;
  const percent = (share) => (share >= 0.5 ? `${share.toFixed(0)}%` : "<1%");

  // The share at a rating, interpolated linearly between the two nearest ratings.
  function at(ratings, shares, rating) {
    const next = ratings.findIndex((elo) => elo >= rating);
    if (next <= 0) return shares[next === 0 ? 0 : shares.length - 1];
    const part = (rating - ratings[next - 1]) / (ratings[next] - ratings[next - 1]);
    return shares[next - 1] + part * (shares[next] - shares[next - 1]);
  }

  // Describes in one sentence which players choose a move most often.
  function popularity({ ratings, moves }, index) {
    const { san, shares, best } = moves[index];
    const last = ratings.length - 1;
    const verb = best ? "find" : "play";
    const isMost = (share) => share >= HALF;
    // The rating at which the share crosses one half, between this point and the next.
    const passed = (place) => {
      const part = (HALF - shares[place]) / (shares[place + 1] - shares[place]);
      return STEP * Math.round((ratings[place] + part * (ratings[place + 1] - ratings[place])) / STEP);
    };
    const everyone = `Most players of every rating ${verb} ${san}.`;
    if (isMost(shares[last])) {
      const place = shares.findLastIndex((share) => !isMost(share));
      const rating = place < 0 ? ratings[0] : passed(place);
      return rating > ratings[0] ? `Most players rated above ${rating} ${verb} ${san}.` : everyone;
    }
    if (isMost(shares[0])) {
      const rating = passed(shares.findIndex((share) => !isMost(share)) - 1);
      return rating < ratings[last] ? `Most players rated below ${rating} ${verb} ${san}.` : everyone;
    }
    const most = Math.max(...shares);
    return shares[last] === most ? `Even at ${ratings[last]}, only ${percent(most)} of players ${verb} ${san}.`
      : `At any rating, at most ${percent(most)} of players ${verb} ${san}.`;
  }

  // Draws the lines. Returns a function that moves the cursor to a rating.
  function drawLines(box, { ratings, moves, scale }) {
    box.replaceChildren();
    const width = Math.max(280, box.clientWidth);
    const [low, high] = [ratings[0], ratings[ratings.length - 1]];
    const most = Math.max(...moves.flatMap((move) => move.shares));
    const top = Math.min(100, Math.max(20, 20 * Math.ceil(most / 20)));
    const x = (rating) => LEFT + ((width - LEFT - RIGHT) * (rating - low)) / (high - low);
    const y = (share) => ABOVE + ((HEIGHT - ABOVE - BELOW) * (top - share)) / top;
    const title = `Share of players of each rating who would play each move: ${moves.map((m) => m.san).join(", ")}`;
    const svg = draw(box, "svg", { viewBox: `0 0 ${width} ${HEIGHT}`, height: HEIGHT, role: "img", "aria-label": title });
    for (let share = 0; share <= top; share += top > 40 ? 20 : 10) {
      draw(svg, "path", { class: "grid", d: `M${LEFT} ${y(share)}H${width - RIGHT}` });
      draw(svg, "text", { x: LEFT - 5, y: y(share) + 4, "text-anchor": "end" }, `${share}%`);
    }
    const every = width < 480 ? 800 : 400;
    for (let rating = low; rating <= high; rating += every) {
      draw(svg, "text", { x: x(rating), y: HEIGHT - BELOW + 16, "text-anchor": "middle" }, String(rating));
    }
    draw(svg, "text", { x: (LEFT + width - RIGHT) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, `rating (${scale})`);
    const cursor = draw(svg, "path", { class: "cursor" });
    const ends = moves.map(({ san, shares, best }, index) => {
      const d = shares.map((share, i) => `${i ? "L" : "M"}${x(ratings[i]).toFixed(1)} ${y(share).toFixed(1)}`).join("");
      draw(svg, "path", { d, fill: "none", stroke: colour(index), "stroke-width": best ? 4 : 2, "stroke-linejoin": "round" });
      return { text: best ? `\u2605 ${san}` : san, index, y: y(shares[shares.length - 1]) };
    });
    // Labels that would overlap are moved apart, and then up if they would leave the chart.
    ends.sort((one, other) => one.y - other.y);
    ends.forEach((end, i) => { if (i) end.y = Math.max(end.y, ends[i - 1].y + LINE_HEIGHT); });
    for (let i = ends.length - 1, limit = HEIGHT - BELOW; i >= 0; i--, limit -= LINE_HEIGHT) ends[i].y = Math.min(ends[i].y, limit);
    for (const end of ends) {
      const name = draw(svg, "text", { x: width - RIGHT + 6, y: end.y + 4 }, end.text);
      Object.assign(name.style, { fill: colour(end.index), fontWeight: 600 });
    }
    return (rating) => cursor.setAttribute("d", `M${x(rating)} ${ABOVE - 4}V${HEIGHT - BELOW}`);
  }

  // The observer that redraws the chart in a box when the width of the window changes.
  const observers = new WeakMap();

  // Shows the chart, a slider for the rating, and the shares at that rating. `rated` receives a rating that the
  // user selects, and `played` is the move played in the game.
  function show(box, data, { rating, rated, played }) {
    const { ratings, moves, mistakes } = data;
    box.replaceChildren();
    box.classList.add("bymoves");
    if (!moves.length) { add(box, "p", "There is no legal move in this position."); return; }
    const found = add(box, "p", undefined, "found");
    found.setAttribute("role", "status");
    const picture = add(box, "div", undefined, "plot");
    const label = add(box, "label");
    label.append("Players rated ");
    const shown = add(label, "output");
    const slider = add(label, "input");
    Object.assign(slider, { type: "range", min: ratings[0], max: ratings[ratings.length - 1], step: STEP, value: rating });
    const table = add(box, "table");
    const head = add(add(table, "thead"), "tr");
    for (const name of ["Move", "Score", "Share"]) add(head, "th", name).scope = "col";
    const body = add(table, "tbody");
    const rows = moves.map(({ uci, san, score, mark, best }, index) => {
      const row = add(body, "tr", undefined, best ? "best" : "");
      const button = add(add(row, "td"), "button");
      button.type = "button";
      add(button, "span", undefined, "key").style.background = colour(index);
      button.append(san + (mark ?? "") + (best ? " \u2605 best" : "") + (uci === played ? " (played)" : ""));
      button.addEventListener("click", () => choose(index));
      add(row, "td", score);
      return { row, button, cell: add(row, "td") };
    });
    const errs = add(box, "p", undefined, "soft");
    const choose = (index) => {
      found.textContent = popularity(data, index);
      rows.forEach(({ button }, place) => button.setAttribute("aria-pressed", String(place === index)));
    };
    choose(moves.findIndex((move) => move.best));
    let move = drawLines(picture, data);
    const update = () => {
      const elo = Number(slider.value);
      shown.textContent = String(elo);
      const shares = moves.map((move) => at(ratings, move.shares, elo));
      rows.forEach(({ cell }, index) => { cell.textContent = percent(shares[index]); });
      const order = [...rows.keys()].sort((one, other) => shares[other] - shares[one]);
      body.append(...order.map((index) => rows[index].row));
      errs.textContent = `${percent(at(ratings, mistakes, elo))} of players rated ${elo} make a mistake here: ` +
        "a move that loses at least 10 percentage points of winning chances.";
      move(elo);
    };
    slider.addEventListener("input", () => { update(); rated?.(Number(slider.value)); });
    update();
    let width = innerWidth;
    const observer = new ResizeObserver(() => {
      if (width === innerWidth || !picture.isConnected) return;
      width = innerWidth;
      move = drawLines(picture, data);
      update();
    });
    observer.observe(box);
    observers.get(box)?.disconnect();
    observers.set(box, observer);
  }

  return { show };
})();
