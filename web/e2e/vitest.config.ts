// End-to-end tests: the built program and page in a real Chromium. `npm run e2e` in web/, after `cargo build`.
import { appendFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import type { Reporter, TestCase } from 'vitest/node';

/** Reports tests that passed only in the second run, for `cargo xtask summary`. */
const flaky: Reporter = {
  onTestCaseResult(test: TestCase) {
    if (test.diagnostic()?.flaky !== true) return;
    const line = `flaky: e2e ${test.fullName} failed, and passed when it ran again\n`;
    process.stdout.write(line);
    if (process.env.WHITTLE_NOT_RUN) appendFileSync(process.env.WHITTLE_NOT_RUN, line);
  },
};

export default defineConfig({
  test: {
    environment: 'node',
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: ['./setup.ts'],
    // Only one browser and one JVM run at a time, because the machine may have only two cores.
    fileParallelism: false,
    testTimeout: 90_000,
    // The recorded programs run on a shared machine.
    retry: 1,
    reporters: ['default', flaky],
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 180_000,
  },
});
