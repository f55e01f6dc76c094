"use strict";
// The sounds of the game. They are synthesised from noise and short tones, so no sound files are needed.
const Sound = (() => {
  let context = null;
  let isMuted = Memory.browser.get("muted") === "yes";

  // A browser allows sound only after the user has clicked on the page or pressed a key.
  function wake() {
    const mayStart = navigator.userActivation?.hasBeenActive ?? true;
    if (isMuted || !window.AudioContext || !mayStart) return;
    context ??= new AudioContext();
    if (context.state === "suspended") context.resume();
  }

  // A volume control that falls from `loud` to silence.
  function fading(start, length, loud) {
    const volume = context.createGain();
    volume.gain.setValueAtTime(loud, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + length);
    volume.connect(context.destination);
    return volume;
  }

  // The sound of wood on wood: noise through a narrow filter.
  function knock(pitch, loud, delay = 0) {
    const [start, length] = [context.currentTime + delay, 0.09];
    const noise = context.createBuffer(1, Math.ceil(context.sampleRate * length), context.sampleRate);
    const samples = noise.getChannelData(0);
    for (let at = 0; at < samples.length; at++) samples[at] = 2 * Math.random() - 1;
    const filter = Object.assign(context.createBiquadFilter(), { type: "bandpass" });
    filter.frequency.value = pitch;
    filter.Q.value = 6;
    const source = Object.assign(context.createBufferSource(), { buffer: noise });
    source.connect(filter).connect(fading(start, length, loud));
    source.start(start);
  }

  function tone(pitch, length, delay = 0) {
    const start = context.currentTime + delay;
    const source = context.createOscillator();
    source.frequency.value = pitch;
    source.connect(fading(start, length, 0.15));
    source.start(start);
    source.stop(start + length);
  }

  const sounds = {
    move: () => knock(900, 1.6),
    capture: () => { knock(1300, 1.8); knock(700, 1.6, 0.05); },
    check: () => { knock(900, 1.6); tone(880, 0.18, 0.03); },
    end: () => { tone(523, 0.3); tone(659, 0.3, 0.12); tone(784, 0.5, 0.24); },
    low: () => { tone(660, 0.12); tone(660, 0.12, 0.18); },
  };

  // Plays a sound. The page also notes its name, so that a test can tell which sound was due.
  const play = (name) => {
    document.documentElement.dataset.sound = name;
    if (!isMuted && context?.state === "running") sounds[name]();
  };

  function setMuted(is) {
    isMuted = is;
    Memory.browser.set("muted", is ? "yes" : "no");
    wake();
  }

  for (const kind of ["pointerdown", "pointerup", "keydown"]) addEventListener(kind, wake, { capture: true, passive: true });
  return { play, setMuted, isMuted: () => isMuted };
})();
