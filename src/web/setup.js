"use strict";
// The dialog for a new game.
const Setup = (() => {
  const { add } = Board;
  const find = (id) => document.getElementById(id);
  const value = (id) => find(id).value;
  const dialog = find("new");
  let choices = null;
  // The fields that the browser remembers. The scale comes before the rating, because the allowed
  // ratings depend on it.
  const REMEMBERED = ["kind", "scale", "elo", "style", "offset", "profile", "c", "curve", "plies", "clock", "minutes",
    "increment", "colour", "own", "ownelo", "paced", "hurried"];
  const property = (id) => (find(id).type === "checkbox" ? "checked" : "value");

  function remember() {
    const values = Object.fromEntries(REMEMBERED.map((id) => [id, find(id)[property(id)]]));
    Memory.browser.set("setup", JSON.stringify(values));
  }

  function fillRemembered() {
    const values = JSON.parse(Memory.browser.get("setup")) ?? {};
    for (const id of REMEMBERED.filter((id) => id in values)) {
      const usual = value(id);
      find(id)[property(id)] = values[id];
      // A named opponent may no longer exist.
      if (!value(id)) find(id).value = usual;
      showKind();
    }
  }

  function showKind() {
    for (const part of document.querySelectorAll("[data-kind]")) part.hidden = part.dataset.kind !== value("kind");
    find("custom").hidden = value("clock") !== "custom";
    find("ownrated").hidden = value("own") !== "level";
    // A hidden field with a bad value would stop the form from being sent.
    for (const part of document.querySelectorAll("[data-kind], #custom, #ownrated")) {
      for (const field of part.querySelectorAll("input, select")) field.disabled = part.hidden;
    }
    // An engine that moves at once is never short of time.
    find("hurried").disabled = !find("paced").checked || !value("clock");
    if (!choices) return;
    const { low, high } = choices.scales.find((scale) => scale.name === value("scale"));
    for (const id of ["elo", "ownelo"]) Object.assign(find(id), { min: low, max: high });
    find("rated").textContent = value("elo");
    find("described").textContent = choices.profiles.find((p) => p.name === value("profile"))?.description ?? "";
  }

  // The chosen clock, or null.
  function clock() {
    const chosen = value("clock") === "custom" ? `${value("minutes")} ${value("increment")}` : value("clock");
    if (!chosen) return null;
    const [minutes, increment] = chosen.split(" ").map(Number);
    return { minutes, increment };
  }

  function setup() {
    const chosen = {
      level: () => ({ elo: Number(value("elo")), scale: value("scale"), style: value("style") || null }),
      imitator: () => ({ offset: Number(value("offset")) }),
      profile: () => ({ name: value("profile") }),
      competence: () => ({ c: Number(value("c")), curve: value("curve"), depth: Number(value("plies")) }),
      full: () => ({}),
      person: () => ({}),
    }[value("kind")]();
    const mine = {
      level: { kind: "level", elo: Number(value("ownelo")), scale: value("scale") },
      full: { kind: "full" },
    }[value("own")];
    return {
      opponent: { kind: value("kind"), ...chosen },
      own: mine ?? null,
      engine: find("engine").checked,
      black: value("colour") === "black" || (value("colour") === "any" && Math.random() < 0.5),
      clock: clock(),
      paced: find("paced").checked,
      steady: !find("hurried").checked,
      start: value("start"),
      plies: value("after") === "" ? null : Number(value("after")),
    };
  }

  // Starts a game. Returns an error message, or an empty string.
  async function start(wanted) {
    try {
      const error = await Play.startGame(wanted, Play.state()?.session);
      if (error) return Play.sentence(error);
    } catch (error) { return Play.sentence(error.message); }
    dialog.close();
    find("table").scrollIntoView({ block: "nearest" });
    return "";
  }

  function openDialog() {
    const { moves, before, result, people } = Play.state() ?? {};
    const isRunning = people?.includes(true) && moves.length > before && !result;
    find("startgame").textContent = isRunning ? "Abandon this game and start" : "Start game";
    find("refused").textContent = "";
    // A choice from an earlier game must not apply unseen.
    if (value("own") || find("paced").checked || value("start") || value("after")) find("more").open = true;
    dialog.showModal();
  }

  function listProfiles() {
    find("profile").replaceChildren();
    for (const { name } of choices.profiles) add(find("profile"), "option", name);
  }

  // Lets the user play against a profile that has just been made. Returns an error message, or an empty string.
  async function playProfile(name) {
    choices = await Server.ask("choices");
    listProfiles();
    find("kind").value = "profile";
    find("profile").value = name;
    showKind();
    return start({ ...setup(), own: null, start: "", plies: null });
  }

  async function fill() {
    choices = await Server.ask("choices");
    listProfiles();
    for (const { name } of choices.scales) add(find("scale"), "option", name);
    for (const { name } of choices.scales) add(find("opponentscale"), "option", name);
    for (const curve of choices.curves) add(find("curve"), "option", curve);
    const [quick, thorough] = choices.depths;
    for (const list of ["depth", "opponentdepth"]) {
      add(find(list), "option", `${quick} plies (quick)`).value = quick;
      add(find(list), "option", `${thorough} plies (accurate ratings)`).value = thorough;
    }
    find("prepare").hidden = !choices.opponents;
    find("enginerow").hidden = !choices.engine;
    find("enginename").textContent = choices.engine ?? "";
    showKind();
    fillRemembered();
  }

  find("newgame").addEventListener("click", openDialog);
  find("closenew").addEventListener("click", () => dialog.close());
  // A click outside the dialog closes it.
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  find("setup").addEventListener("input", showKind);
  // The browser can point to a bad value only if the field is visible.
  find("more").addEventListener("invalid", () => { find("more").open = true; }, true);
  find("setup").addEventListener("submit", async (event) => {
    event.preventDefault();
    find("refused").textContent = await start(setup());
    if (!find("refused").textContent) remember();
  });
  fill().catch(() => {});

  return { playProfile };
})();
