// How the analyzer is built: one HTML file with everything in it, analyzer.html; in mode `report` the page of report files.
import { defineConfig } from 'vitest/config';
import solid from 'vite-plugin-solid';
import { leftOut } from './build/left_out.ts';
import { oneFile } from './build/one_file.ts';

/** Where `npm run dev` finds a running `whittle view`. */
const server = process.env['WHITTLE_VIEW'] ?? 'http://127.0.0.1:7070';

const solidPage = solid({ solid: { inlineStyles: false } as object });

export default defineConfig(({ mode }) => ({
  // Static styles as properties: the content security policy refuses style attributes.
  plugins: mode === 'report' ? [leftOut(), solidPage, oneFile({ small: 'report.html' })] : [solidPage, oneFile({ page: 'analyzer.html' })],
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
  test: { environment: 'node', include: ['src/**/*.test.{ts,tsx}'] },
}));
