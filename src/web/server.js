"use strict";
// Requests to the server, and the messages on the page when the server is not responding.
const Server = (() => {
  const LOST = `Stopdown is not responding. Your game is kept in this tab. If Stopdown has stopped, run stopdown web --port ${location.port || 80} --no-browser, then open the new address in this tab.`;
  const MOVED = "Stopdown was restarted and has a new address, which it shows in its terminal. Open it in this tab to continue your game.";
  // The interval between attempts to reach a lost server, in ms.
  const RETRY = 2000;
  // The time that a server may take to answer before it counts as lost, and before a lost server is asked again, in ms.
  const [PATIENCE, SHORT_PATIENCE] = [20000, 5000];
  // The status of every answer from a server that was restarted, because it has a new secret.
  const FORBIDDEN = 403;
  const notice = document.getElementById("server-gone");
  let timer = null;
  let whenBack = () => {};

  const tell = (text) => { notice.hidden = !text; if (notice.textContent !== text) notice.textContent = text; };

  function lost() {
    tell(LOST);
    timer ??= setTimeout(tryAgain, RETRY);
  }

  async function tryAgain() {
    timer = null;
    let answer;
    try { answer = await fetch("choices", { signal: AbortSignal.timeout(SHORT_PATIENCE) }); } catch { lost(); return; }
    if (answer.status === FORBIDDEN) { tell(MOVED); return; }
    if (!answer.ok) { lost(); return; }
    tell("");
    whenBack();
  }

  // Sends a request: a POST if there is a body. If the server does not answer, or has been restarted, the page says so,
  // and the error has `isLost` set.
  async function ask(where, body) {
    let answer;
    let text;
    try {
      const method = body === undefined ? "GET" : "POST";
      answer = await fetch(where, { method, body, signal: AbortSignal.timeout(PATIENCE) });
      text = await answer.text();
    } catch {
      lost();
      throw Object.assign(new Error(LOST), { isLost: true });
    }
    if (answer.status === FORBIDDEN) {
      tell(MOVED);
      throw Object.assign(new Error(MOVED), { isLost: true });
    }
    if (!answer.ok) throw new Error(text);
    return JSON.parse(text);
  }

  const stream = (where) => new EventSource(where);
  // Points a link to a file.
  const link = (anchor, where) => { anchor.href = where; };

  return { ask, stream, link, lost, onReturn: (act) => { whenBack = act; }, isLost: () => !notice.hidden };
})();
