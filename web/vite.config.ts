// How the analyzer is built: one HTML file with everything in it, analyzer.html.
import { defineConfig } from 'vitest/config';
import solid from 'vite-plugin-solid';
import { oneFile } from './build/one_file.ts';

/** Where `npm run dev` finds a running `whittle view`. */
const server = process.env['WHITTLE_VIEW'] ?? 'http://127.0.0.1:7070';

export default defineConfig({
  // Static styles as properties: the content security policy refuses style attributes.
  plugins: [solid({ solid: { inlineStyles: false } as object }), oneFile({ page: 'analyzer.html', small: 'report.html' })],
  server: { proxy: { '/api': { target: server, changeOrigin: true } } },
  build: {
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 100_000_000,
    cssCodeSplit: false,
    // engine.wasm lies there as well.
    emptyOutDir: false,
    rolldownOptions: { checks: { pluginTimings: false }, output: { codeSplitting: false } },
  },
  worker: { format: 'iife' },
  test: { environment: 'node', include: ['src/**/*.test.{ts,tsx}'] },
});
