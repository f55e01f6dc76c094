"use strict";
// Requests to the server, and the messages that the page shows when the server does not answer.
const Server = (() => {
  const LOST = "Stopdown does not answer. Your game is kept on this page and will continue when Stopdown is back.";
  const MOVED = "Stopdown was restarted and has a new address. Open that address in this tab to continue your game.";
  // The time in ms between attempts to reach a server that does not answer.
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

  // Sends a request. It is a POST request if there is a body. If the server does not answer, the
  // error has `isLost`.
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

  return { ask, lost, onReturn: (act) => { whenBack = act; }, isLost: () => !notice.hidden };
})();
