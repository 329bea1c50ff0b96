// Makes the data of the tests: experiments of casebook case 1 and of a server of HTTP, reports of them, and an experiment with
// hostile names.
// The folder is removed after the tests. With WHITTLE_E2E_KEEP=FOLDER, the folder is kept, and its content is used
// again.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { collectWorkload, ROOT, WHITTLE } from './program';

declare module 'vitest' {
  interface ProvidedContext {
    folder: string;
  }
}

/** A method name that would run a script if the page treated it as markup. */
export const HOSTILE = '<img src=x onerror="window.wasHit=1">';

export default function setup(project: TestProject): () => void {
  const kept = process.env.WHITTLE_E2E_KEEP;
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'whittle-e2e-'));
  mkdirSync(folder, { recursive: true });
  const at = (name: string) => join(folder, name);
  if (!existsSync(at('slow.whittle'))) {
    collectWorkload('whittle.workloads.crc.Slow', at('slow.whittle'));
  }
  const sources = join(ROOT, 'java/workloads/src/main/java');
  whittle('report', at('slow.whittle'), '-f', '-o', at('slow.html'), '--source-path', sources);

  if (!existsSync(at('http.whittle'))) {
    collectWorkload('whittle.workloads.truth.HttpRequests', at('http.whittle'), ['--engine', 'kernel'], 2);
  }
  whittle('report', at('http.whittle'), '-f', '-o', at('http.html'), '--source-path', sources);

  const stacks = [`main;app.${HOSTILE};read 30`, `main;app.${HOSTILE} 20`, 'main;"quoted";</script><b>bold 10'];
  writeFileSync(at('hostile.collapsed'), `${stacks.join('\n')}\n`);
  whittle('import', at('hostile.collapsed'), '-f', '-o', at('hostile.whittle'));
  whittle('report', at('hostile.whittle'), '-f', '-o', at('hostile.html'));
  project.provide('folder', folder);
  return () => {
    if (!kept) rmSync(folder, { recursive: true, force: true });
  };
}

function whittle(...words: string[]): void {
  execFileSync(WHITTLE, words, { stdio: ['ignore', 'ignore', 'inherit'] });
}
