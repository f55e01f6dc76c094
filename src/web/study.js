"use strict";
// Games from files: their analysis, and opponents modelled on their players.
(() => {
  const { add } = Board;
  const { sentence } = Play;
  const { ask } = Server;
  const find = (id) => document.getElementById(id);
  const value = (id) => find(id).value;
  const LARGEST_FILE = 16 << 20;

  // Follows the progress of an analysis until it is over.
  function follow(name, tell) {
    const stream = Server.stream(`progress?analysis=${name}`);
    return new Promise((over) => {
      stream.onmessage = (event) => {
        const report = JSON.parse(event.data);
        tell(report);
        if (!report.over) return;
        stream.close();
        over();
      };
      stream.onerror = () => {
        if (stream.readyState !== EventSource.CLOSED) return;
        Server.lost();
        over();
      };
    });
  }

  // ---- Analysis ----

  // The analysis whose progress the page shows: its name, and a promise that resolves when it is over.
  let current = null;
  let requests = 0;

  // Starts an analysis. This stops a running one, because its result is no longer wanted.
  async function analyse(where, body) {
    const request = ++requests;
    find("progress").hidden = false;
    find("report").hidden = true;
    find("progressed").textContent = "";
    Object.assign(find("part"), { max: 1, value: 0 });
    const earlier = current;
    current = null;
    let answer;
    try {
      if (earlier) {
        await ask(`stop?analysis=${earlier.name}`, "").catch(() => {});
        await earlier.over;
      }
      if (request !== requests) return;
      answer = await ask(`${where}depth=${value("depth")}`, body);
    } catch (error) { answer = { error: error.message }; }
    if (answer.error) {
      find("progressed").textContent = answer.error.endsWith(".") ? answer.error : sentence(answer.error);
      return;
    }
    const analysis = { name: answer.analysis };
    analysis.over = follow(answer.analysis, (report) => { if (current === analysis) showProgress(report); });
    current = analysis;
    find("stop").hidden = false;
    find("progress").scrollIntoView({ block: "nearest" });
  }

  function showProgress({ done, all, games, notices, over, error }) {
    const isDone = over && !error;
    // The bar is full at the end, even if some positions needed no evaluation.
    Object.assign(find("part"), { max: Math.max(1, all), value: isDone ? Math.max(1, all) : done });
    const what = `${games} game${games === 1 ? "" : "s"}`;
    const told = error ? sentence(error) : over ? `${what} analysed.` : `Analysing ${what}: ${done} of ${all} positions.`;
    find("progressed").textContent = [told, ...notices].join(" ");
    if (!over) return;
    find("stop").hidden = true;
    if (error) return;
    find("report").hidden = false;
    Server.link(find("report"), `analysis?analysis=${current.name}`);
    find("report").focus();
  }

  const readFile = (file) => {
    if (!file) return;
    if (file.size <= LARGEST_FILE) { analyse("games?", file); return; }
    find("progress").hidden = false;
    find("progressed").textContent = "The file is larger than 16 MiB. Use stopdown analyse in a terminal.";
  };

  // Analyses a session's game. If a person played, the lessons are for that person.
  async function learn(session) {
    const { pgn, student } = await ask(`lesson?session=${session}`);
    const query = student ? `student=${student[0] ? "white" : "black"}&rating=${student[1]}&` : "";
    await analyse(`games?${query}`, pgn);
  }

  find("learn").addEventListener("click", () => {
    const { session, moves, before } = Play.state();
    if (moves.length > before) { learn(session).catch((error) => Play.announce(error.message)); return; }
    find("progress").hidden = false;
    find("progressed").textContent = "There is nothing to learn from this game yet: no moves have been played.";
    find("progress").scrollIntoView({ block: "nearest" });
  });
  find("stop").addEventListener("click", () => ask(`stop?analysis=${current?.name}`, "").catch(() => {}));
  find("file").addEventListener("change", (event) => {
    readFile(event.target.files[0]);
    // This allows the user to choose the same file again.
    event.target.value = "";
  });

  // ---- Dropped files ----

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
  function choseOpponent() {
    find("against").textContent = `Play against ${chosenOpponent()}`;
    find("opponentscale").value = find("opponent").selectedOptions[0]?.dataset.scale;
  }

  // Lists the players in a file, so that the user can pick one.
  async function listPlayers(file) {
    if (!file) return;
    find("opponentform").hidden = true;
    working(false);
    if (file.size > LARGEST_FILE) {
      prepared("The file is larger than 16 MiB. Use stopdown profile --add in a terminal.");
      return;
    }
    try {
      const { players } = await ask("players", file);
      if (!players.length) { prepared("This file has no games with player names."); return; }
      opponentFile = file;
      find("opponent").replaceChildren();
      players.forEach(({ name, games, scale }, place) => {
        const option = add(find("opponent"), "option", `${name} (${games} game${games === 1 ? "" : "s"})`);
        option.value = place;
        Object.assign(option.dataset, { name, scale });
      });
      choseOpponent();
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
    let made = null;
    await follow(preparation, ({ done, all, notices, over, error, opponent }) => {
      Object.assign(find("preparedpart"), { max: Math.max(1, all), value: done });
      prepared(error ? `The opponent could not be created: ${error}.` : over ? [`${player} is ready.`, ...notices].join(" ")
        : `Analysing the games of ${player} ...`);
      made = opponent;
    });
    working(false);
    if (made) Setup.playProfile(made);
  }
  find("opponentfile").addEventListener("change", (event) => listPlayers(event.target.files[0]));
  find("opponent").addEventListener("change", choseOpponent);
  find("against").addEventListener("click", prepare);
  find("stopopponent").addEventListener("click", () => ask(`stop?analysis=${preparation}`, "").catch(() => {}));
})();
