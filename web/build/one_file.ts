// A Vite plugin that puts script and style into the page, so that the page is one HTML file that loads nothing. Report
// files must be small, so in their page the plugin packs script and style, and adds the worker's script. The content
// security policy contains the hashes of scripts and styles. Browsers refuse all other scripts.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { build, type Plugin, type Rollup } from 'vite';
import { fromDenseText } from '../src/engine/dense_text.ts';
import { toDenseText } from './dense_text.ts';

/** Runs the engine of a report. */
const WORKER = 'src/engine/worker.ts';
const TARGET = 'es2022';

/** The place of the report file's data and engine. */
const DATA_MARKER = '<!--whittle:data-->';

/** `page`: a page that a program serves. `small`: a page with packed script and style. */
export type FileName = { page: string } | { small: string };

export function oneFile(name: FileName): Plugin {
  return {
    name: 'whittle-one-file',
    apply: 'build',
    enforce: 'post',
    async generateBundle(_options, bundle) {
      const page = takeAsset(bundle, '.html');
      const style = takeAsset(bundle, '.css');
      const script = inScript(takeChunk(bundle));
      const html = removeReferences(page);
      if ('small' in name) {
        this.emitFile({
          type: 'asset',
          fileName: name.small,
          source: packed(html, { script, style, worker: await workerScript() }),
        });
      } else {
        this.emitFile({ type: 'asset', fileName: name.page, source: whole(html, script, style) });
      }
    },
  };
}

function whole(html: string, script: string, style: string): string {
  return filled(html, {
    head: `${policyTag([script], [style])}\n<style>${style}</style>`,
    body: `<script type="module">${script}</script>`,
  });
}

/** The worker's script, in one piece. */
async function workerScript(): Promise<string> {
  const output = { format: 'iife' as const };
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    build: { target: TARGET, write: false, modulePreload: false, rolldownOptions: { input: WORKER, output } },
  });
  const [only] = (built as Rollup.RollupOutput).output;
  return only.code.trim();
}

function filled(html: string, parts: { head: string; body: string }): string {
  // Functions, because `$&` and similar sequences have a meaning in a replacement text.
  return html
    .replace('</head>', () => `${parts.head}\n</head>`)
    .replace('</body>', () => `${DATA_MARKER}\n${parts.body}\n</body>`);
}

/**
 * Starts a page with packed script and style. Such a page is less than half as large. The starter runs immediately
 * (async). The experiment is the largest part of the file and comes after the starter. So the page and its engine start
 * while the browser still reads the experiment. The worker is started first, because browsers need a long time to start
 * a worker. The message to the worker is a `ToWorker`, and `src/engine/report.ts` then uses this worker.
 */
const STARTER = `
${fromDenseText.toString()}
const take = (id) => {
  const element = document.getElementById(id);
  element.remove();
  return element.textContent;
};
const url = (script) => URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
const unpack = (id) => {
  const bytes = fromDenseText(take(id));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
};
const [worker, style, script] = ['worker', 'style', 'script'].map((part) => unpack('whittle-' + part));
if (document.getElementById('whittle-engine')) {
  globalThis.whittleWorker = new Worker(url(await worker));
  whittleWorker.postMessage({ kind: 'engine', text: take('whittle-engine') });
}
const sheet = new CSSStyleSheet();
sheet.replaceSync(await style);
document.adoptedStyleSheets = [sheet];
await import(url(await script));
`.trim();

function packed(html: string, { script, style, worker }: { script: string; style: string; worker: string }): string {
  const element = (id: string, text: string) =>
    `<script type="application/gzip;dense" id="${id}">${toDenseText(gzipSync(text, { level: 9 }))}</script>`;
  return filled(html, {
    head: policyTag([STARTER], [], 'blob:'),
    body: [
      element('whittle-worker', worker),
      element('whittle-style', style),
      element('whittle-script', script),
      `<script type="module" async>${STARTER}</script>`,
    ].join('\n'),
  });
}

function takeAsset(bundle: Rollup.OutputBundle, ending: string): string {
  const found = Object.values(bundle).filter((file) => file.type === 'asset' && file.fileName.endsWith(ending));
  const only = found[0];
  if (found.length !== 1 || only?.type !== 'asset') {
    throw new Error(`one ${ending} file was expected, there are ${found.length}`);
  }
  delete bundle[only.fileName];
  return typeof only.source === 'string' ? only.source : new TextDecoder().decode(only.source);
}

function takeChunk(bundle: Rollup.OutputBundle): string {
  const found = Object.values(bundle).filter((file) => file.type === 'chunk');
  const only = found[0];
  if (found.length !== 1 || only?.type !== 'chunk') {
    throw new Error(`expected one script, found ${found.length}: ${found.map((file) => file.fileName).join(', ')}`);
  }
  delete bundle[only.fileName];
  return only.code.trim();
}

/** A script's text must not end its element. */
function inScript(script: string): string {
  return script.replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '\\x3C!--');
}

function removeReferences(page: string): string {
  return page
    .replace(/\s*<script\b[^>]*\bsrc=[^>]*><\/script>/g, '')
    .replace(/\s*<link\b[^>]*rel="(?:stylesheet|modulepreload)"[^>]*>/g, '');
}

function policyTag(scripts: readonly string[], styles: readonly string[], more = ''): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const hashes = (texts: readonly string[]) => (texts.length === 0 ? "'none'" : texts.map(hash).join(' '));
  const policy = [
    "default-src 'none'",
    `script-src ${hashes(scripts)} 'wasm-unsafe-eval' ${more}`.trim(),
    `style-src ${hashes(styles)}`,
    "connect-src 'self'",
    'worker-src blob:',
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
}
