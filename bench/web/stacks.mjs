// Makes collapsed stacks for measuring viewers: `node stacks.mjs DISTINCT_STACKS [deep] > FILE`.
//
// The stacks are the paths to the leaves of a random tree. The tree resembles the tree of a Java program: it has long
// common trunks, many short branches near the leaves, and 8,000 functions, few of them hot. A million distinct stacks
// have about 2.3 million tree nodes. With `deep`, there is also one recursion of 3,000 frames. The same number always
// gives the same file.

import { once } from 'node:events';

const FUNCTIONS = 8000;
/** Mean number of frames that a stack adds to the frames of the previous stack. This gives 2.3 tree nodes per stack. */
const FRESH_FRAMES = 2.4;
const DEEPEST = 60;
const RECURSION = 3000;

const wanted = Number(process.argv[2] ?? 10000);
const isDeep = process.argv[3] === 'deep';
const out = process.stdout;

let seed = 42;
function random() {
  // mulberry32
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

const packages = ['java/util', 'java/io', 'org/example/shop', 'org/example/orders/api', 'com/acme/net', 'sun/nio/ch'];
const names = Array.from({ length: FUNCTIONS }, (_, i) => {
  const kind = i % 25;
  if (kind === 24) return `kernel_function_${i}`;
  if (kind === 23) return `libnative_function_${i}`;
  const suffix = kind < 3 ? '_[0]' : kind < 5 ? '_[1]' : kind < 12 ? '_[i]' : '_[j]';
  return `${packages[i % packages.length]}/Class${i >> 3}.method${i}${suffix}`;
});
const pick = () => names[Math.floor(FUNCTIONS * random() ** 2)];

/** The current path. The next stack keeps the first part of this path and gets a new end. */
const path = ['java/lang/Thread.run_[j]'];
/** A hash of the path down to each frame. It shows whether a stack already exists. */
const hashes = [hashed(0, path[0])];
const known = new Set();
let lines = [];
while (known.size < wanted) {
  let fresh = 1;
  while (random() < 1 - 1 / FRESH_FRAMES) fresh++;
  const kept = Math.max(1, Math.min(path.length, DEEPEST - fresh) - Math.floor(random() ** 3 * 20));
  path.length = kept;
  hashes.length = kept;
  for (let i = 0; i < fresh; i++) {
    path.push(pick());
    hashes.push(hashed(hashes.at(-1), path.at(-1)));
  }
  if (known.has(hashes.at(-1))) continue;
  known.add(hashes.at(-1));
  lines.push(`${path.join(';')} ${1 + Math.floor(-Math.log(1 - random()) * 20)}`);
  if (lines.length === 10000) await flush();
}
if (isDeep) lines.push(`${Array(RECURSION).fill('org/example/shop/Tree.walk_[j]').join(';')} 500`);
await flush();

async function flush() {
  if (lines.length === 0) return;
  if (!out.write(`${lines.join('\n')}\n`)) await once(out, 'drain');
  lines = [];
}

/** A hash that uses all of its 53 bits. Among a million stacks, two stacks practically never have the same hash. */
function hashed(before, name) {
  let low = before | 0;
  let high = Math.floor(before / 2 ** 32);
  for (let i = 0; i < name.length; i++) {
    low = Math.imul(low ^ name.charCodeAt(i), 0x01000193);
    high = Math.imul(high ^ low, 0x85ebca6b) ^ (high >>> 13);
  }
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}
