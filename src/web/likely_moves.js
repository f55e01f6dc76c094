"use strict";
// The chart of the likely moves in the position on the board. It is closed during a game, unless the player opens it.
(() => {
  const find = (id) => document.getElementById(id);
  const box = find("likely");
  const chart = find("likelychart");
  // The delay before a request, so that stepping quickly through the moves does not send one for each position.
  const PAUSE_MS = 80;
  const MOST_CHARTS = 300;
  const charts = new Map();
  const state = { position: null, stream: null, timer: 0, rating: 1500, isOver: false };

  const key = () => JSON.stringify([find("likelyscale").value, state.position.start, state.position.moves]);

  function show(data) {
    if (!data.moves.length) {
      chart.textContent = "There is no legal move in this position. Click an earlier move in the list.";
      return;
    }
    const hadFocus = chart.contains(document.activeElement) && document.activeElement.type === "range";
    MovesByRating.show(chart, data, {
      rating: state.rating,
      rated: (rating) => { state.rating = rating; },
      played: state.position.next,
    });
    if (hadFocus) chart.querySelector("input")?.focus();
  }

  function ask() {
    const { session, board, moves } = state.position;
    const asked = key();
    const query = new URLSearchParams({ session, ply: moves.length, scale: find("likelyscale").value });
    const stream = Server.stream(`likely?${query}`);
    state.stream = stream;
    stream.onmessage = (event) => {
      const { chart: data, last } = JSON.parse(event.data);
      if (last) stop();
      // The game may have changed before the answer arrived.
      if (stream !== state.stream && !last || asked !== key() || !data.fen.startsWith(`${board} `)) return;
      if (last) {
        charts.set(asked, data);
        if (charts.size > MOST_CHARTS) charts.delete(charts.keys().next().value);
      }
      show(data);
    };
    // If there was no answer, the next position sends a new request.
    stream.onerror = stop;
  }

  function stop() {
    clearTimeout(state.timer);
    state.stream?.close();
    state.stream = null;
    chart.removeAttribute("aria-busy");
  }

  function refresh() {
    stop();
    if (!box.open || !state.position || !find("likelyscale").value) return;
    const known = charts.get(key());
    if (known) show(known);
    else {
      chart.setAttribute("aria-busy", "true");
      state.timer = setTimeout(ask, PAUSE_MS);
    }
  }

  document.addEventListener("position", ({ detail }) => {
    const before = state.position && key() + state.position.session;
    state.position = detail;
    if (detail.isOver !== state.isOver) {
      state.isOver = detail.isOver;
      box.open = detail.isOver;
    }
    if (before !== key() + detail.session) refresh();
  });
  box.addEventListener("toggle", refresh);
  find("likelyscale").addEventListener("change", refresh);
  Server.ask("choices").then(({ scales }) => {
    for (const { name } of scales) Board.add(find("likelyscale"), "option", name);
    refresh();
  }).catch(() => { box.hidden = true; });
})();
