import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Node loads TypeScript itself, and keeps what it compiled: loading through Vite took half of the time of the unit tests. */
const NATIVE = { experimental: { viteModuleRunner: false } };

/**
 * Servers are slow to start, so a suite that needs one shares it by global setup; nothing here asserts on time. Files
 * that wait side by side would keep the API server busy if they looked more often.
 */
const patient = {
  ...NATIVE,
  testTimeout: 900_000,
  hookTimeout: 1_200_000,
  expect: { poll: { timeout: 600_000, interval: 250 } },
};

/**
 * End-to-end tests that share a lab, by the lab. All others have labs of their own, because they end servers of it, or
 * need another Ironic.
 */
const SHARING: Readonly<Record<'fixture' | 'ironic' | 'cluster-api', readonly string[]>> = {
  fixture: [
    'approval-rights',
    'approval-times',
    'approvals',
    'claims',
    'differential',
    'differential-settings',
    'explain',
    'fixture',
    'forged-messages',
    'guarded-temporal',
    'kill-points',
    'kstatus',
    'machine-api',
    'machine-api-actuator',
    'machine-api-remediation',
    'machine-sets',
    'machines',
    'monitoring',
    'mutated-hosts',
    'namespaces',
    'node-reuse',
    'normal-lives',
    'nothing-kept',
    'paused-cluster',
    'pools',
    'provider-ids',
    'remediation',
    'reset-points',
    'runs',
    'silent-ironic',
    'steered-hosts',
    'steered-machines',
    'tenants',
    'waiting-machines',
    'web-ui',
    'web-ui-codec',
    'worker-versions',
  ],
  ironic: [
    'capacity',
    'cut-off-worker',
    'differential-ironic',
    'drift',
    'failures',
    'kill-points-ironic',
    'life',
    'namespaces-ironic',
    'outages',
    'polling',
    'raid',
    'reset',
    'secrets',
    'sixty-operations',
    'steered-ironic',
    'steering',
    'systems-ironic',
    'virtual-media',
  ],
  'cluster-api': ['cluster-life', 'seed-test1', 'workload-cluster'],
};

/** The test files that take longest, the longest first: started first, none of them runs alone at the end. */
const LONGEST: readonly string[] = [
  'e2e/life',
  'e2e/start',
  'e2e/machines',
  'e2e/differential-cluster-api',
  'e2e/workload-cluster',
  'e2e/remediation',
  'e2e/steering',
  'e2e/chaos',
  'integration/bridge-runs',
  'e2e/failures',
  'e2e/outages',
  'e2e/virtual-media',
  'e2e/fixture',
  'e2e/secrets',
  'integration/bridge-replicas',
  'integration/capacity',
  'integration/data',
  'integration/ironic-life',
  'e2e/namespaces',
  'e2e/tenants',
  'e2e/drift',
  'e2e/runs',
  'e2e/claims',
  'e2e/differential',
  'integration/ironic-client',
  'integration/bridge-restarts',
  'integration/life',
  'integration/bridge-rollback',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return rank === -1 ? LONGEST.length : rank;
}

/** Support modules keep nothing but the namespace of the file, and loading them once saves two CPU seconds a file. */
const IN_ONE_PROCESS = { isolate: false, setupFiles: ['test/e2e/setup/file.ts'] };

const testFile = (name: string): string => `test/e2e/${name}.test.ts`;

const ALONE: readonly string[] = readdirSync(join(import.meta.dirname, 'test/e2e'))
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => basename(file, '.test.ts'))
  .filter((name) => !Object.values(SHARING).flat().includes(name));

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Of a test that passes, what it makes programs say is no news.
    silent: 'passed-only',
    projects: [
      {
        test: {
          name: 'unit',
          ...NATIVE,
          setupFiles: ['test/held-stderr.ts'],
          // They keep nothing in modules, and loading the modules once is most of the time that they take.
          isolate: false,
          // vitest would leave a core to itself, which needs a tenth of one.
          maxWorkers: 2,
          // A busy machine is no failure: beside the other groups of `npm test` a second of work has taken a minute.
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect: { poll: { timeout: 300_000 } },
          include: [
            '{api,domain,workflows,kube,activities,k8s-bridge,platform,lab,cli,scripts,workers,deploy,bench}/**/*.test.ts',
            'test/{chaos,conversion,differential,e2e/support,kstatus}/**/*.test.ts',
          ],
        },
      },
      { test: { name: 'replay', include: ['test/replay/**/*.test.ts'], ...patient } },
      {
        test: {
          name: 'integration',
          // They keep nothing in modules.
          isolate: false,
          include: ['test/integration/**/*.test.ts'],
          globalSetup: ['test/integration/setup.ts'],
          setupFiles: ['test/integration/setup-file.ts'],
          // Files run bridge and workers in their own process, which gets what these load first, too. Some bundle workflow
          // code of their own, so it gets no `no-bundler.ts`.
          execArgv: ['no-call-stacks', 'one-watchdog'].map((name) => `--require=./platform/temporal/${name}.ts`),
          // They wait some of their time. More at once only make each other slow: both cores are busy.
          maxWorkers: 3,
          ...patient,
        },
      },
      ...Object.entries(SHARING).map(([lab, files]) => ({
        test: {
          name: `e2e-${lab}`,
          include: files.map(testFile),
          globalSetup: [`test/e2e/setup/${lab}.ts`],
          ...IN_ONE_PROCESS,
          // They wait some of their time.
          maxWorkers: 3,
          ...patient,
        },
      })),
      {
        test: {
          name: 'e2e-alone',
          // Without `exclude`, because vitest would not read that of its command line then.
          include: ALONE.map(testFile),
          ...IN_ONE_PROCESS,
          // Each file has a lab of its own, which waits most of its time.
          maxWorkers: 2,
          ...patient,
        },
      },
      {
        test: {
          name: 'nightly',
          setupFiles: ['test/e2e/setup/file.ts'],
          include: ['test/nightly/**/*.test.ts'],
          fileParallelism: false,
          ...patient,
          testTimeout: 1_200_000,
        },
      },
    ],
    coverage: { provider: 'v8', reporter: ['text-summary'], include: ['domain/**/*.ts'], thresholds: { branches: 95 } },
  },
});
