// Makes a profile of many threads for measuring timelines: `node threads.mjs THREADS > FILE.speedscope.json`.
//
// Each thread has 100 samples over one second, with pauses. The samples have twenty different stacks. The same number
// always gives the same file.

const threads = Number(process.argv[2] ?? 10000);
const SAMPLES = 100;
const SAMPLE_MS = 10;
const FRAMES = 200;
const STACKS = 20;
const DEPTH = 12;

let seed = 42;
function random() {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  return seed / 0x80000000;
}

const frames = Array.from({ length: FRAMES }, (_, at) => ({ name: `org.example.Class${at >> 3}.method${at}` }));
const stacks = Array.from({ length: STACKS }, () => Array.from({ length: DEPTH }, () => Math.floor(random() * FRAMES)));
const profiles = Array.from({ length: threads }, (_, thread) => {
  const samples = Array.from({ length: SAMPLES }, () => (random() < 0.3 ? [] : stacks[Math.floor(random() * STACKS)]));
  const weights = samples.map(() => SAMPLE_MS);
  const endValue = SAMPLES * SAMPLE_MS;
  return { type: 'sampled', name: `worker-${thread}`, unit: 'milliseconds', startValue: 0, endValue, samples, weights };
});
const file = { $schema: 'https://www.speedscope.app/file-format-schema.json', shared: { frames }, profiles };
process.stdout.write(`${JSON.stringify(file)}\n`);
