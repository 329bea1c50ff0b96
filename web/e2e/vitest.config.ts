// End-to-end tests: the built program and page in a real Chromium. `npm run e2e` in web/, after `cargo build`.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: ['./setup.ts'],
    // One browser and one JVM at a time: the machine may have two cores.
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 180_000,
  },
});
