// A Vite plugin that puts script and style into the page, so that the page is one HTML file that loads nothing. Report
// files must be small, so their page contains only the starter. The plugin writes script and style into a second file. The
// build of the server packs this file, and `whittle report` adds it to the page. The content security policy contains the
// hashes of scripts and styles. Browsers refuse all other scripts.
import { createHash } from 'node:crypto';
import { build, type Plugin, type Rollup } from 'vite';
import { smaller } from './smaller.ts';

/** Starts the page of a report, and runs its engine. */
const STARTER = 'src/engine/starter.ts';
/** The element that contains the starter. The starter looks for its own text there. */
const STARTER_ID = 'whittle-starter';
const TARGET = 'es2022';

/** The place of the report file's data and engine. */
const DATA_MARKER = '<!--whittle:data-->';

/** `page`: a page that a program serves. `small`: a page without its script and style, which are in the file `script`. */
export type FileNames = { page: string } | { small: string; script: string };

export function oneFile(names: FileNames): Plugin {
  return {
    name: 'whittle-one-file',
    apply: 'build',
    enforce: 'post',
    async generateBundle(_options, bundle) {
      const page = takeAsset(bundle, '.html');
      const style = takeAsset(bundle, '.css');
      const script = takeChunk(bundle);
      const html = removeReferences(page);
      const emit = (fileName: string, source: string) => this.emitFile({ type: 'asset', fileName, source });
      if ('small' in names) {
        emit(names.small, startable(html, inScript(await starterScript())));
        emit(names.script, withStyle(await smaller(script), style));
      } else {
        emit(names.page, whole(html, inScript(script), style));
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

/** The page of a report. Only the starter is allowed by its hash, and the starter allows unpacked parts (`blob:`). */
function startable(html: string, starter: string): string {
  return filled(html, {
    head: policyTag([starter], [], 'blob:'),
    body: `<script type="module" async id="${STARTER_ID}">${starter}</script>`,
  });
}

/** The script, which first applies the style. */
function withStyle(script: string, style: string): string {
  return [
    '{',
    'const sheet = new CSSStyleSheet();',
    `sheet.replaceSync(${JSON.stringify(style)});`,
    'document.adoptedStyleSheets = [sheet];',
    '}',
    script,
  ].join('\n');
}

/** The starter, in one piece. */
async function starterScript(): Promise<string> {
  const output = { format: 'iife' as const };
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    build: { target: TARGET, write: false, modulePreload: false, rolldownOptions: { input: STARTER, output } },
  });
  const [only] = (built as Rollup.RollupOutput).output;
  return smaller(only.code);
}

function filled(html: string, parts: { head: string; body: string }): string {
  // Functions, because `$&` and similar sequences have a meaning in a replacement text.
  return html
    .replace('</head>', () => `${parts.head}\n</head>`)
    .replace('</body>', () => `${DATA_MARKER}\n${parts.body}\n</body>`);
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
