"use strict";
// Games from files: their analysis, and opponents modelled on their players.
(() => {
  const { add } = Board;
  const { ui, sentence } = Play;
  const { ask } = Server;
  const find = (id) => document.getElementById(id);
  const value = (id) => find(id).value;
  const MAX_SIZE = 16 << 20;
  // The report on an analysis that did not start.
  const FAILED = { over: true, done: 0, all: 0, games: 0, notices: [] };

  // Joins files. The empty line separates the last game of a file from the first one of the next file.
  const joined = (files) => (files.length === 1 ? files[0] : new Blob([...files].flatMap((file) => [file, "\n\n"])));

  // Follows the progress of an analysis until it is over. `onRefused` is called if the server does not know it.
  function follow(name, tell, onRefused) {
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
        onRefused();
        over();
      };
    });
  }

  const stopAnalysis = (name) => ask(`stop?analysis=${name}`, "").catch(() => {});

  // Runs one analysis at a time. A new one stops the earlier one, because its result is no longer wanted.
  class Runner {
    // The analysis whose progress the page shows: its name, and a promise that resolves when it is over.
    #current = null;
    #requests = 0;

    // Stops the analysis for a new request. Returns a function that tells whether that request is still the last one.
    async clear() {
      const request = ++this.#requests;
      const earlier = this.#current;
      this.#current = null;
      if (earlier) {
        await stopAnalysis(earlier.name);
        await earlier.over;
      }
      return () => request === this.#requests;
    }

    // Starts an analysis and passes its reports to `tell`, until there is a newer request. Resolves when it is over.
    async start(where, body, tell) {
      const isLast = await this.clear();
      if (!isLast()) return;
      let answer;
      try {
        answer = await ask(where, body);
        // The analysis may belong to another part of this page, to another tab, or to a tab that was closed.
        if (answer.running && isLast()) {
          const isOurs = [analyses, preparations].some((runner) => runner.#current?.name === answer.running);
          const games = isOurs ? "the other games on this page" : "other games, perhaps for another tab";
          const isAgreed = confirm(`Stopdown is still analysing ${games}. Stop that analysis?`);
          if (!isAgreed) throw new Error("the other analysis was not stopped");
          await stopAnalysis(answer.running);
          await follow(answer.running, () => {}, () => {});
          if (!isLast()) return;
          answer = await ask(where, body);
        }
      } catch (error) { answer = { error: error.message }; }
      if (isLast() && answer.error) tell({ ...FAILED, error: answer.error });
      else if (isLast()) await this.follow(answer.analysis, tell, Server.lost);
      else if (answer.analysis) await stopAnalysis(answer.analysis);
    }

    follow(name, tell, onRefused) {
      const analysis = { name };
      this.#current = analysis;
      analysis.over = follow(name, (report) => { if (this.#current === analysis) tell(report, name); }, onRefused);
      return analysis.over;
    }

    stop() { if (this.#current) stopAnalysis(this.#current.name); }
  }

  // ---- Analysis ----

  const analyses = new Runner();
  // The last analysis that has a report. A later one that fails does not take the report away.
  let reported = null;
  // Whether the user has done nothing else since the analysis began. Do not move the focus of a user who is playing.
  const isWaiting = () => document.activeElement.matches("body, #file, #learn, #progress *");

  async function analyse(where, body) {
    find("progress").hidden = false;
    find("report").hidden = true;
    find("progressed").textContent = "";
    find("part").hidden = false;
    Object.assign(find("part"), { max: 1, value: 0 });
    // It can be stopped once the server has accepted the games.
    find("stop").hidden = true;
    find("progress").scrollIntoView({ block: "nearest" });
    await analyses.start(`${where}depth=${value("depth")}`, body, (report, name) => {
      showProgress(report, name);
      const kept = report.error ? reported : name;
      if (kept) Memory.tab.set("analysis", kept);
      if (report.over && !report.error && isWaiting()) find("report").focus({ preventScroll: true });
    });
  }

  function showProgress({ done, all, games, notices, over, error }, name) {
    const isDone = over && !error;
    find("progress").hidden = false;
    find("part").hidden = Boolean(error);
    // The bar is full at the end, even if some positions needed no evaluation.
    Object.assign(find("part"), { max: Math.max(1, all), value: isDone ? Math.max(1, all) : done });
    const what = `${games} game${games === 1 ? "" : "s"}`;
    const told = error ? sentence(error) : over ? `${what} analysed.`
      : `Analysing ${what}: ${done} of ${all} positions.`;
    const earlier = error && reported ? ["The button opens the earlier report."] : [];
    find("progressed").textContent = [told, ...notices.map(sentence), ...earlier].join(" ");
    // The focus would be lost with the button.
    if (over && document.activeElement === find("stop")) find("file").focus();
    find("stop").hidden = over;
    if (isDone) {
      reported = name;
      Server.link(find("report"), `analysis?analysis=${name}`);
    }
    find("report").hidden = !over || !reported;
  }

  // Shows the last analysis again after a reload, unless the server has forgotten it.
  const known = Memory.tab.get("analysis");
  if (known) analyses.follow(known, showProgress, () => Memory.tab.remove("analysis"));

  const readFiles = (files) => {
    if (!files.length) return;
    const games = joined(files);
    if (games.size <= MAX_SIZE) analyse("games?", games);
    else showProgress({ ...FAILED, error: "the games are larger than 16 MiB; use stopdown analyse in a terminal" });
  };

  // Analyses a session's game. If a person played, the lessons are for that person.
  async function learn(session) {
    const { pgn, student } = await ask(`lesson?session=${session}`);
    const query = student ? `student=${student[0] ? "white" : "black"}&rating=${student[1]}&` : "";
    await analyse(`games?${query}`, pgn);
  }

  find("learn").addEventListener("click", () => {
    const { session, moves, before } = Play.state();
    if (moves.length > before) { learn(session).catch(Play.fail); return; }
    ui.error = "there is nothing to learn from this game, because no moves have been played";
    Play.announce(Play.status());
  });
  find("stop").addEventListener("click", () => analyses.stop());
  find("file").addEventListener("change", (event) => {
    readFiles(event.target.files);
    // This allows the user to choose the same files again.
    event.target.value = "";
  });

  // ---- Dropped files ----

  const isForOpponent = (event) => Boolean(event.target.closest?.("#prepare"));
  const mark = (event) => {
    find("drop").classList.toggle("over", Boolean(event) && !isForOpponent(event));
    find("opponentdrop").classList.toggle("over", Boolean(event) && isForOpponent(event));
  };
  // Text can be dropped into the text fields.
  const hasFile = ({ dataTransfer }) => dataTransfer.types.includes("Files");
  addEventListener("dragover", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    mark(find("new").open ? null : event);
  });
  addEventListener("dragleave", () => mark(null));
  addEventListener("drop", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    mark(null);
    const { files } = event.dataTransfer;
    // The dialog covers the rest of the page. A file can be dropped on its field for a PGN.
    if (find("new").open) {
      if (event.target.id === "start" && files.length) files[0].text().then((text) => { find("start").value = text; });
    } else if (isForOpponent(event)) listPlayers(files);
    else readFiles(files);
  });

  // ---- The next opponent ----

  const preparations = new Runner();
  let opponentGames = null;
  // The name of the last profile that was made.
  let ready = null;
  const prepared = (text) => { find("preparing").hidden = false; find("prepared").textContent = text; };
  function working(is) {
    find("preparedpart").hidden = !is;
    // It can be stopped once the server has accepted the games.
    find("stopopponent").hidden = true;
    Play.setEnabled("against", !is);
    find("playready").hidden = true;
  }
  const chosenOpponent = () => find("opponent").selectedOptions[0]?.dataset.name ?? "";
  function choseOpponent() {
    find("against").textContent = `Play against ${chosenOpponent()}`;
    find("opponentscale").value = find("opponent").selectedOptions[0]?.dataset.scale;
  }

  // Lists the players in some files, so that the user can pick one.
  async function listPlayers(files) {
    if (!files.length) return;
    const pgn = joined(files);
    find("opponentform").hidden = true;
    find("preparing").hidden = true;
    const isLast = await preparations.clear();
    if (!isLast()) return;
    working(false);
    if (pgn.size > MAX_SIZE) {
      prepared("The games are larger than 16 MiB. Use stopdown profile --add in a terminal.");
      return;
    }
    try {
      const { players } = await ask("players", pgn);
      if (!isLast()) return;
      if (!players.length) { prepared("There are no games with player names."); return; }
      opponentGames = pgn;
      find("opponent").replaceChildren();
      players.forEach(({ name, games, scale }, place) => {
        const option = add(find("opponent"), "option", `${name} (${games} game${games === 1 ? "" : "s"})`);
        option.value = place;
        Object.assign(option.dataset, { name, scale });
      });
      choseOpponent();
      find("preparing").hidden = true;
      find("opponentform").hidden = false;
    } catch (error) { if (isLast()) prepared(sentence(error.message)); }
  }

  // Starts the game against the new opponent. If that fails, the user can try again.
  async function playReady() {
    const refusal = await Setup.playProfile(ready).catch((error) => sentence(error.message));
    if (refusal) prepared(refusal);
    find("playready").hidden = !refusal;
  }

  // Makes a profile of the player, then starts a game against it, unless that would abandon a game with moves.
  async function prepare() {
    const query = new URLSearchParams({
      player: value("opponent"), scale: value("opponentscale"), depth: value("opponentdepth"),
      keep: find("keep").checked ? 1 : 0,
    });
    const player = chosenOpponent();
    working(true);
    await preparations.start(`opponent?${query}`, opponentGames, ({ done, all, notices, over, error, opponent }) => {
      Object.assign(find("preparedpart"), { max: Math.max(1, all), value: done });
      const told = error ? sentence(`the opponent could not be created: ${error}`) : over ? `${player} is ready.`
        : `Analysing the games of ${player}…`;
      prepared([told, ...notices.map(sentence)].join(" "));
      find("stopopponent").hidden = over;
      if (!over) return;
      working(false);
      ready = opponent;
      if (!ready) return;
      const { moves, before, result } = Play.state();
      if (moves.length === before || result) playReady();
      else find("playready").hidden = false;
    });
  }
  find("opponentfile").addEventListener("change", ({ target }) => {
    listPlayers(target.files);
    // Otherwise, choosing the same files again would do nothing.
    target.value = "";
  });
  find("opponent").addEventListener("change", choseOpponent);
  Play.click("against", prepare);
  find("stopopponent").addEventListener("click", () => preparations.stop());
  find("playready").addEventListener("click", () => { find("preparing").hidden = true; playReady(); });
})();
