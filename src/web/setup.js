"use strict";
// The dialog for a new game.
const Setup = (() => {
  const { add } = Board;
  const find = (id) => document.getElementById(id);
  const value = (id) => find(id).value;
  const dialogue = find("new");
  let choices = null;
  // The fields that the browser remembers. The scale comes before the rating, because the allowed
  // ratings depend on it.
  const REMEMBERED = ["kind", "scale", "elo", "style", "offset", "profile", "c", "curve", "plies", "clock", "minutes",
    "increment", "colour"];

  function remember() {
    const values = Object.fromEntries(REMEMBERED.map((id) => [id, value(id)]));
    try { localStorage.setItem("setup", JSON.stringify(values)); } catch { /* The choices are lost with the tab. */ }
  }

  function fillRemembered() {
    let values = {};
    try { values = JSON.parse(localStorage.getItem("setup")) ?? {}; } catch { /* The browser forbids storage. */ }
    for (const id of REMEMBERED.filter((id) => id in values)) {
      const usual = value(id);
      find(id).value = values[id];
      // A named opponent may no longer exist.
      if (!value(id)) find(id).value = usual;
      showKind();
    }
  }

  function showKind() {
    for (const part of document.querySelectorAll("[data-kind]")) part.hidden = part.dataset.kind !== value("kind");
    find("custom").hidden = value("clock") !== "custom";
    find("ownrated").hidden = value("own") !== "level";
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

  async function start() {
    try {
      find("refused").textContent = (await Play.startGame(setup(), Play.state()?.session)) ?? "";
    } catch (error) { find("refused").textContent = error.message; }
    if (find("refused").textContent) return;
    remember();
    dialogue.close();
    find("table").scrollIntoView({ block: "nearest" });
  }

  function listProfiles() {
    find("profile").replaceChildren();
    for (const { name } of choices.profiles) add(find("profile"), "option", name);
  }

  // Starts a game against a profile that has just been made.
  async function playProfile(name) {
    choices = await Server.ask("choices");
    listProfiles();
    find("kind").value = "profile";
    find("profile").value = name;
    showKind();
    await start();
  }

  async function fill() {
    choices = await Server.ask("choices");
    listProfiles();
    for (const { name } of choices.scales) add(find("scale"), "option", name);
    for (const { name } of choices.scales) add(find("opponentscale"), "option", name);
    for (const curve of choices.curves) add(find("curve"), "option", curve);
    const [quick, thorough] = choices.depths;
    add(find("depth"), "option", `${quick} plies (quick)`).value = quick;
    add(find("depth"), "option", `${thorough} plies (accurate ratings)`).value = thorough;
    find("prepare").hidden = !choices.opponents;
    find("enginerow").hidden = !choices.engine;
    find("enginename").textContent = choices.engine ?? "";
    showKind();
    fillRemembered();
  }

  find("newgame").addEventListener("click", () => { find("refused").textContent = ""; dialogue.showModal(); });
  find("closenew").addEventListener("click", () => dialogue.close());
  // A click outside the dialog closes it.
  dialogue.addEventListener("click", (event) => { if (event.target === dialogue) dialogue.close(); });
  find("setup").addEventListener("input", showKind);
  find("setup").addEventListener("submit", (event) => { event.preventDefault(); start(); });
  fill().catch(() => {});

  return { playProfile };
})();
