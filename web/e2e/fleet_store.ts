// Makes a small fleet with known costs. It pushes profiles as Pyroscope's agents do, to `whittle-fleet receive`, and
// loads them with `whittle-fleet intake`.
import { execFileSync, spawn } from 'node:child_process';
import { FLEET } from './program';

/** The activity of one process in a time range. */
export interface Pushed {
  service: string;
  labels: Record<string, string>;
  /** Since 1970-01-01 UTC. */
  start_s: number;
  length_s: number;
  /** Frames with the root first, and the CPU seconds of the last frame. */
  stacks: readonly (readonly [frames: readonly string[], cpu_s: number])[];
}

/** Writes the fleet's store into a folder. */
export async function makeStore(folder: string, pushes: readonly Pushed[]): Promise<void> {
  const receiver = spawn(FLEET, ['receive', '--store', folder, '--anyone', '--listen', '127.0.0.1:0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => receiver.once('exit', resolve));
  try {
    const address = await new Promise<string>((resolve, reject) => {
      let text = '';
      receiver.stderr.on('data', (part: Buffer) => {
        text += part.toString();
        const found = /http:\/\/[\d.]+:\d+/.exec(text);
        if (found) resolve(found[0]);
      });
      receiver.once('exit', (status) => reject(new Error(`whittle-fleet receive ended with ${status}: ${text}`)));
    });
    for (const pushed of pushes) await push(address, pushed);
  } finally {
    receiver.kill('SIGINT');
    await ended;
  }
  execFileSync(FLEET, ['intake', '--store', folder, '--once'], { stdio: ['ignore', 'ignore', 'ignore'] });
}

async function push(address: string, pushed: Pushed): Promise<void> {
  const labels = Object.entries(pushed.labels).map(([name, value]) => `${name}=${value}`);
  const query = new URLSearchParams({
    name: `${pushed.service}{${labels.join(',')}}`,
    from: String(pushed.start_s),
    until: String(pushed.start_s + pushed.length_s),
    format: 'pprof',
  });
  const response = await fetch(`${address}/ingest?${query}`, { method: 'POST', body: pprofOf(pushed) });
  if (!response.ok) throw new Error(`the push was answered ${response.status}: ${await response.text()}`);
}

/** A pprof profile; https://github.com/google/pprof/blob/main/proto/profile.proto has the numbers of the fields. */
function pprofOf({ start_s, length_s, stacks }: Pushed): Uint8Array<ArrayBuffer> {
  const texts = [''];
  const text = (wanted: string) => {
    const known = texts.indexOf(wanted);
    return known >= 0 ? known : texts.push(wanted) - 1;
  };
  const names = [...new Set(stacks.flatMap(([frames]) => frames))];
  // Leaf first, as in pprof.
  const ids = (frames: readonly string[]) => frames.map((name) => names.indexOf(name) + 1).reverse();
  const valueType = (field: number) => bytes(field, [...number(1, text('cpu')), ...number(2, text('nanoseconds'))]);
  const parts = [
    ...valueType(1),
    ...stacks.flatMap(([frames, cpu_s]) =>
      bytes(2, [...bytes(1, ids(frames).flatMap(varint)), ...bytes(2, varint(cpu_s * 1e9))]),
    ),
    ...names.flatMap((_, index) => bytes(4, [...number(1, index + 1), ...bytes(4, [...number(1, index + 1), ...number(2, 7)])])),
    ...names.flatMap((name, index) =>
      bytes(5, [...number(1, index + 1), ...number(2, text(name)), ...number(4, text(`${name.split('.').at(-2)}.java`))]),
    ),
    ...number(9, start_s * 1e9),
    ...number(10, length_s * 1e9),
    ...valueType(11),
    ...number(12, 10_000_000),
  ];
  const strings = texts.flatMap((each) => bytes(6, [...new TextEncoder().encode(each)]));
  return new Uint8Array([...parts, ...strings]);
}

/** Uses BigInt, because numbers here need more than 32 bits. */
function varint(value: number): number[] {
  let rest = BigInt(Math.round(value));
  const found: number[] = [];
  do {
    const more = rest > 127n;
    found.push(Number(rest & 127n) | (more ? 128 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return found;
}

function number(field: number, value: number): number[] {
  return [...varint(field * 8), ...varint(value)];
}

function bytes(field: number, content: readonly number[]): number[] {
  return [...varint(field * 8 + 2), ...varint(content.length), ...content];
}
