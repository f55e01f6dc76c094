"use strict";
// Requests to the WebAssembly module, for a page without a server. `src/web/server.js` has the same functions for a
// page with a server.
const Server = (() => {
  const LOADING = "Loading the engine…";
  const NO_SERVER = "Browsers do not run this page from a file. Start a web server in its folder, for example with " +
    "python3 -m http.server, and open http://localhost:8000/.";
  const CRASHED = "Stopdown has stopped because of an internal error. Reload the page to continue your game.";
  // The last report of an analysis that has been stopped.
  const STOPPED = { done: 0, all: 0, games: 0, notices: [], over: true };
  const ANALYSIS_CRASHED = "the analysis has stopped because of an internal error; please report the games as a bug";
  // As with a server, the report on an analysis may not load anything.
  const POLICY = '<head>\n<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; ' +
    'script-src \'unsafe-inline\'; style-src \'unsafe-inline\'; img-src data:">';
  // The time that the browser may take to save a file, in ms.
  const KEPT = 60000;
  const notice = document.getElementById("server-gone");
  const tell = (text) => { notice.hidden = !text; notice.textContent = text; };
  let requests = 0;

  // A Web Worker with its own copy of the module.
  class Host {
    // `onLoaded` is called when the module has been loaded, `onFailure` with a message if that fails, and `onCrash`
    // after an internal error.
    constructor({ onLoaded, onFailure, onCrash }) {
      Object.assign(this, { onLoaded, onFailure });
      // The callback for each request's answers.
      this.waiting = new Map();
      this.worker = new Worker("worker.js");
      this.worker.onmessage = ({ data }) => this.receive(data);
      this.worker.onerror = onCrash;
    }

    receive({ isLoaded, failure, id, text, refused }) {
      if (isLoaded) this.onLoaded();
      else if (failure) this.onFailure(`the engine could not be loaded: ${failure}`);
      else this.waiting.get(id)?.(text, refused);
    }

    send(path, body, receive) {
      const id = ++requests;
      this.waiting.set(id, receive);
      this.worker.postMessage({ id, path, body });
      return id;
    }

    // Ends the worker, and refuses all requests that it has not answered.
    end(reason) {
      this.worker.terminate();
      for (const receive of [...this.waiting.values()]) receive(reason, true);
    }

    close(id) {
      this.waiting.delete(id);
      this.worker.postMessage({ id, isClosed: true });
    }

    text(path, body) {
      return new Promise((resolve, reject) => {
        const id = this.send(path, body, (text, refused) => {
          this.waiting.delete(id);
          if (refused) reject(new Error(text));
          else resolve(text);
        });
      });
    }
  }

  if (location.protocol === "file:") {
    tell(NO_SERVER);
    throw new Error(NO_SERVER);
  }
  const game = new Host({
    onLoaded: () => tell(""), onFailure: (text) => tell(Play.sentence(text)), onCrash: () => tell(CRASHED),
  });
  tell(LOADING);
  // An analysis runs in its own copy of the module, so that games can continue, even if it crashes. Its event stream ends
  // when the analysis is stopped.
  let analysis = null;
  let progress = null;

  function stop(error = "the analysis was stopped") {
    const [host, opened] = [analysis, progress];
    analysis = progress = null;
    opened?.onmessage({ data: JSON.stringify({ ...STOPPED, error }) });
    host?.end(error);
  }
  const startAnalysis = () => new Host({ onLoaded: () => {}, onFailure: stop, onCrash: () => stop(ANALYSIS_CRASHED) });

  const OF_ANALYSIS = ["games", "progress", "analysis"];
  const nameOf = (where) => where.split("?")[0];
  const hostOf = (where) => (OF_ANALYSIS.includes(nameOf(where)) ? analysis ?? game : game);

  async function ask(where, body) {
    if (nameOf(where) === "stop") { stop(); return {}; }
    const bytes = body === undefined ? undefined : await new Blob([body]).arrayBuffer();
    if (nameOf(where) === "games") { stop(); analysis = startAnalysis(); }
    return JSON.parse(await hostOf(where).text(where, bytes));
  }

  // Opens an event stream. The result has those properties of an EventSource that the page uses.
  function stream(where) {
    const host = hostOf(where);
    const opened = { readyState: EventSource.OPEN, onmessage: null, onerror: null, close: () => host.close(id) };
    const id = host.send(where, undefined, (text, refused) => {
      if (refused) {
        opened.readyState = EventSource.CLOSED;
        opened.onerror?.();
      } else opened.onmessage?.({ data: text });
    });
    if (host === analysis) progress = opened;
    return opened;
  }

  // Makes a link download a file, or open a report in a new tab.
  function link(anchor, where) {
    const isFile = anchor.hasAttribute("download");
    anchor.href = "#";
    // The address of the report. It remains valid, so that the user can reload the report.
    let report = null;
    const load = async () => {
      const text = await hostOf(where).text(where);
      const type = isFile ? "application/x-chess-pgn" : "text/html;charset=utf-8";
      return URL.createObjectURL(new Blob([isFile ? text : text.replace("<head>", POLICY)], { type }));
    };
    const open = async () => {
      const opened = document.createElement("a");
      opened.href = report ?? (await load());
      if (isFile) {
        opened.download = anchor.download;
        setTimeout(() => URL.revokeObjectURL(opened.href), KEPT);
      } else {
        report = opened.href;
        opened.target = "_blank";
      }
      opened.click();
    };
    anchor.onclick = (event) => {
      event.preventDefault();
      open().catch(Play.fail);
    };
  }

  return { ask, stream, link, lost: () => tell(CRASHED), onReturn: () => {}, isLost: () => false };
})();
