// Compares the signature of the bench in WebAssembly with the recorded one: node bench.mjs MODULE SIGNATURE

import { readFileSync } from "node:fs";

const [module, recorded] = process.argv.slice(2);
const imports = { stopdown: { milliseconds: () => performance.timeOrigin + performance.now() } };
const { instance } = await WebAssembly.instantiate(readFileSync(module), imports);
const { nodes, digest, share_of_e4 } = instance.exports;

const start = performance.now();
const count = nodes();
const seconds = (performance.now() - start) / 1000;
const hash = BigInt.asUintN(64, digest()).toString(16).padStart(16, "0");
console.log(`${count} ${hash}, ${Math.round(Number(count) / seconds)} nodes/s`);
console.log(`players rated 1500 begin with e4: ${share_of_e4().toFixed(6)}`);
const expected = readFileSync(recorded, "utf8").trim();
if (`${count} ${hash}` !== expected) {
    console.error(`the signature differs from the recorded one, ${expected}`);
    process.exit(1);
}
