"use strict";
// The buttons beside the board, typed moves, and the sounds of a game.
(() => {
  const { ui, sendAction, showPly, show, click } = Play;
  const find = (id) => document.getElementById(id);
  // The time that "Really resign?" waits for a second click, in ms.
  const PATIENCE = 5000;

  find("typed").addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = find("word").value;
    if (text.trim() && (await sendAction({ act: "move", text }))) find("word").value = "";
  });
  click("undo", () => sendAction({ act: "undo" }));
  click("hint", () => {
    // The hint is for the current position.
    showPly(Infinity);
    sendAction({ act: "hint" });
  });
  click("draw", () => sendAction({ act: "draw" }));
  click("turn", () => {
    ui.flipped = !ui.flipped;
    find("promotion").hidden = true;
    show();
  });
  click("first", () => showPly(0));
  click("back", () => showPly(Play.viewedPly() - 1));
  click("forward", () => showPly(Play.viewedPly() + 1));
  click("last", () => showPly(Infinity));

  let timer = null;
  function ask(isAsking) {
    // Only a screen reader needs this, because everyone else sees the button change.
    find("asked").textContent = isAsking ? "To resign, press again within 5 seconds." : "";
    clearTimeout(timer);
    timer = isAsking ? setTimeout(() => ask(false), PATIENCE) : null;
    const button = find("resign");
    // The button keeps its width, so that the second click cannot hit another button.
    button.style.flex = isAsking ? `0 0 ${button.getBoundingClientRect().width}px` : "";
    button.textContent = isAsking ? "Really resign?" : "Resign";
    button.classList.toggle("asking", isAsking);
  }
  click("resign", () => {
    if (timer === null) { ask(true); return; }
    ask(false);
    sendAction({ act: "resign" });
  });

  // Starts another game against the same opponent, with colours swapped.
  click("rematch", async () => {
    const { setup, session } = Play.state();
    try {
      const error = await Play.startGame({ ...setup, black: !setup.black, seed: null, moves: [], left: null }, session);
      if (error) Play.announce(Play.sentence(error));
    } catch (error) { Play.fail(error); }
  });

  function showSound() {
    find("sound").textContent = Sound.isMuted() ? "Unmute" : "Mute";
  }
  click("sound", () => { Sound.setMuted(!Sound.isMuted()); showSound(); });
  showSound();

  Play.watch((before, now) => {
    // The question belongs to one game, and to moves that have not been taken back.
    const isSame = before?.setup.seed === now.setup.seed && now.moves.length >= before.moves.length;
    if (now.result || !isSame) ask(false);
    if (!before || before.session !== now.session) return;
    if (now.result && !before.result) { Sound.play("end"); return; }
    if (now.moves.length !== before.moves.length + 1) return;
    const { san } = now.moves[now.moves.length - 1];
    Sound.play(san.includes("+") ? "check" : san.includes("x") ? "capture" : "move");
  });
})();
