import { defineConfig } from 'vitest/config';

/** Servers are slow to start, so a suite that needs one shares it by global setup; nothing here asserts on time. */
const patient = { testTimeout: 900_000, hookTimeout: 1_200_000, expect: { poll: { timeout: 60_000 } } };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          // A busy machine is no failure.
          testTimeout: 60_000,
          expect: { poll: { timeout: 30_000 } },
          include: [
            '{api,domain,workflows,kube,activities,k8s-bridge,platform,lab,scripts,workers,deploy,bench}/**/*.test.ts',
            'test/{conversion,differential}/**/*.test.ts',
          ],
        },
      },
      { test: { name: 'replay', include: ['test/replay/**/*.test.ts'], ...patient } },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          globalSetup: ['test/integration/setup.ts'],
          fileParallelism: false,
          ...patient,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          // Each file has a lab of its own, which waits most of its time.
          maxWorkers: 2,
          ...patient,
        },
      },
      {
        test: {
          name: 'nightly',
          include: ['test/nightly/**/*.test.ts'],
          fileParallelism: false,
          ...patient,
          testTimeout: 1_200_000,
        },
      },
    ],
    coverage: { provider: 'v8', include: ['domain/**/*.ts'], thresholds: { branches: 95 } },
  },
});
