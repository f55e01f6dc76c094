"use strict";
// The Web Worker that hosts the WebAssembly module. Requests arrive as messages, and answers leave as messages.

// The interval between checks of the game clock, in ms.
const IDLE = 100;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
// The functions of the module, and the requests that arrive before it is loaded.
let module = null;
const early = [];
let timer = null;

const bytesAt = (address, length) => new Uint8Array(module.memory.buffer, address, length);
const write = (space, bytes) => bytesAt(space(bytes.length), bytes.length).set(bytes);

const imports = { stopdown: {
  milliseconds: () => performance.timeOrigin + performance.now(),
  random: () => Math.random(),
  send: (address, length) => postMessage(JSON.parse(decoder.decode(bytesAt(address, length)))),
} };

function receive({ id, path, body, isClosed }) {
  if (isClosed) { module.close(id); return; }
  const bytes = new Uint8Array(body ?? 0);
  write(module.message, encoder.encode(JSON.stringify({ id, path, post: body !== undefined })));
  write(module.body, bytes);
  module.receive();
  wake();
}

// Requests that arrive during a task are handled before the next one.
const turn = new MessageChannel();
turn.port1.onmessage = () => {
  if (module.step()) wake();
  else timer = setTimeout(wake, IDLE);
};
function wake() {
  clearTimeout(timer);
  turn.port2.postMessage(null);
}

onmessage = ({ data }) => {
  if (module) receive(data);
  else early.push(data);
};

async function load() {
  const response = await fetch("stopdown.wasm");
  if (!response.ok) throw new Error(`stopdown.wasm: ${response.status} ${response.statusText}`);
  // Streaming compilation requires the right media type, which some servers do not send.
  const { instance } = await WebAssembly.instantiate(await response.arrayBuffer(), imports);
  module = instance.exports;
  postMessage({ isLoaded: true });
  early.forEach(receive);
  wake();
}
load().catch((error) => postMessage({ failure: error.message }));
