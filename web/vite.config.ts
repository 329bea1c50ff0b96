// Builds the analyzer as one HTML file, analyzer.html; in mode `report` the page of report files.

import solid from 'vite-plugin-solid';
import { defineConfig } from 'vitest/config';
import { leftOut } from './build/left_out.ts';
import { oneFile } from './build/one_file.ts';

/** The address of a running `whittle view`, for `npm run dev`. */
const server = process.env.WHITTLE_VIEW ?? 'http://127.0.0.1:7070';

const solidPage = solid({ solid: { inlineStyles: false } as object });

export default defineConfig(({ mode }) => ({
  // Static styles become properties, because the content security policy refuses style attributes.
  plugins:
    mode === 'report'
      ? [leftOut(), solidPage, oneFile({ small: 'report.html', script: 'report.js' })]
      : [solidPage, oneFile({ page: 'analyzer.html' })],
  // The server refuses requests with a foreign origin.
  server: { proxy: { '/api': { target: server, changeOrigin: true, headers: { Origin: server } } } },
  build: {
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 100_000_000,
    cssCodeSplit: false,
    // The folder also contains engine.wasm, so it must not be emptied.
    emptyOutDir: false,
    rolldownOptions: { checks: { pluginTimings: false }, output: { codeSplitting: false } },
  },
  test: { environment: 'node', include: ['src/**/*.test.{ts,tsx}'] },
}));
