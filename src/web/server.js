"use strict";
// Requests to the server, and the messages on the page when the server is not responding.
const Server = (() => {
  const LOST = `Stopdown is not responding. Your game is kept in this tab. If Stopdown has stopped, run stopdown web --port ${location.port || 80} --no-browser, and open in this tab the address that it prints.`;
  const MOVED = "Stopdown was restarted and has a new address, which it shows in its terminal. Open it in this tab to continue your game.";
  // The interval between attempts to reach a lost server, in ms.
  const RETRY = 2000;
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
    // A new server has a new secret.
    if (!answer.ok) { tell(MOVED); return; }
    tell("");
    whenBack();
  }

  // Sends a request: a POST if there is a body. If the server does not answer, the error has `isLost` set.
  async function ask(where, body) {
    let answer;
    try {
      answer = await fetch(where, body === undefined ? {} : { method: "POST", body });
    } catch {
      lost();
      throw Object.assign(new Error(LOST), { isLost: true });
    }
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }

  const stream = (where) => new EventSource(where);
  // Points a link to a file.
  const link = (anchor, where) => { anchor.href = where; };

  return { ask, stream, link, lost, onReturn: (act) => { whenBack = act; }, isLost: () => !notice.hidden };
})();
