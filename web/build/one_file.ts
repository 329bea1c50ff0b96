// A Vite plugin that puts script and style into the page, so that the build is one HTML file which loads nothing.
// The content security policy names them by their hashes; all other scripts are refused.
import { createHash } from 'node:crypto';
import type { Plugin, Rollup } from 'vite';

/** What the report file's data and engine are put at. */
const DATA_MARKER = '<!--whittle:data-->';

export function oneFile(fileName: string): Plugin {
  return {
    name: 'whittle-one-file',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = takeAsset(bundle, '.html');
      const style = takeAsset(bundle, '.css');
      const script = inScript(takeChunk(bundle));
      const html = removeReferences(page);
      const head = `<meta http-equiv="Content-Security-Policy" content="${policy(script, style)}">\n<style>${style}</style>`;
      // Functions, since `$&` and its like in a replacement text have a meaning.
      const whole = html
        .replace('</head>', () => `${head}\n</head>`)
        .replace('</body>', () => `${DATA_MARKER}\n<script type="module">${script}</script>\n</body>`);
      this.emitFile({ type: 'asset', fileName, source: whole });
    },
  };
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
    throw new Error(`one script was expected, there are ${found.length}: ${found.map((file) => file.fileName).join(', ')}`);
  }
  delete bundle[only.fileName];
  return only.code.trim();
}

/** A script's text must not end the element that it stands in. */
function inScript(script: string): string {
  return script.replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '\\x3C!--');
}

function removeReferences(page: string): string {
  return page
    .replace(/\s*<script\b[^>]*\bsrc=[^>]*><\/script>/g, '')
    .replace(/\s*<link\b[^>]*rel="(?:stylesheet|modulepreload)"[^>]*>/g, '');
}

function policy(script: string, style: string): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return [
    "default-src 'none'",
    `script-src ${hash(script)} 'wasm-unsafe-eval'`,
    `style-src ${hash(style)}`,
    "connect-src 'self'",
    'worker-src blob:',
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
