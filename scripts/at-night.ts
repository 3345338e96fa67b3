/** Test files that only `npm run test:nightly` runs, and what shows something smaller of the same in `npm test`. */
export const AT_NIGHT: Readonly<Record<string, readonly string[]>> = {
  'test/e2e/capacity.test.ts': ['test/integration/capacity.test.ts'],
  'test/e2e/cluster-life.test.ts': ['test/e2e/workload-cluster.test.ts', 'test/e2e/seed-test1.test.ts'],
  'test/e2e/clusterctl.test.ts': ['deploy/clusterctl/components.test.ts', 'test/e2e/workload-cluster.test.ts'],
  'test/e2e/differential-ironic.test.ts': ['test/e2e/differential.test.ts', 'test/e2e/life.test.ts'],
  'test/e2e/kill-points-ironic.test.ts': ['test/e2e/kill-points.test.ts', 'test/e2e/restart.test.ts'],
  'test/e2e/old-lab.test.ts': ['lab/control-plane/temporal-database.test.ts'],
  'test/e2e/reset.test.ts': ['test/e2e/runs.test.ts'],
  'test/e2e/restored-databases.test.ts': [
    'test/e2e/lost-databases.test.ts',
    'test/e2e/chaos.test.ts',
    'test/integration/bridge-rollback.test.ts',
  ],
  'test/e2e/sixty-operations.test.ts': ['test/integration/life.test.ts'],
};
