"use strict";
// Requests to the server, and the messages on the page when the server is not responding.
const Server = (() => {
  const LOST = `Stopdown is not responding. Your game is kept in this tab. If Stopdown has stopped, run stopdown web --port ${location.port || 80} --no-browser, and open in this tab the address that it prints.`;
  const MOVED = "Stopdown was restarted and has a new address, which it shows in its terminal. Open it in this tab to continue your game.";
  // The interval between attempts to reach a lost server, in ms.
  const RETRY = 2000;
  // The status of every answer from a server that was restarted, because it has a new secret.
  const FORBIDDEN = 403;
  const notice = document.getElementById("gone");
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
    try { answer = await fetch("choices"); } catch { lost(); return; }
    if (!answer.ok) { tell(MOVED); return; }
    tell("");
    whenBack();
  }

  // Sends a request: a POST if there is a body. If there is no answer, or only from a
  // server with another address, the page says so and the error has `isLost` set.
  async function ask(where, body) {
    let answer;
    try {
      answer = await fetch(where, body === undefined ? {} : { method: "POST", body });
    } catch {
      lost();
      throw Object.assign(new Error(LOST), { isLost: true });
    }
    if (answer.status === FORBIDDEN) {
      tell(MOVED);
      throw Object.assign(new Error(MOVED), { isLost: true });
    }
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }

  const stream = (where) => new EventSource(where);
  // Points a link to a file.
  const link = (anchor, where) => { anchor.href = where; };

  return { ask, stream, link, lost, onReturn: (act) => { whenBack = act; }, isLost: () => !notice.hidden };
})();
