import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const STORY = /\batNight\(skip, '([^']+)'\)/g;

/**
 * Test files that only `npm run test:nightly` runs, each with the smaller tests of the same behaviour that `npm test`
 * runs.
 */
export const AT_NIGHT: Readonly<Record<string, readonly string[]>> = {
  'deploy/krew/archive.test.ts': ['deploy/krew/manifest.test.ts'],
  'test/e2e/approval-times.test.ts': ['domain/host/approval/window.test.ts', 'test/integration/budgets.test.ts'],
  'test/e2e/capacity.test.ts': ['test/integration/capacity.test.ts'],
  'test/e2e/claims.test.ts': [
    'domain/machine/choose-host/select-host.test.ts',
    'k8s-bridge/choose-host/choose-host.test.ts',
    'test/e2e/machines.test.ts',
  ],
  'test/e2e/cluster-life.test.ts': ['test/e2e/start.test.ts'],
  'test/e2e/clusterctl.test.ts': ['deploy/clusterctl/components.test.ts', 'test/e2e/start.test.ts'],
  'test/e2e/clusterctl-addresses.test.ts': [
    'deploy/clusterctl/components.test.ts',
    'test/integration/addresses-alone.test.ts',
  ],
  'test/e2e/cut-off-worker.test.ts': [
    'activities/ironic/poll/poller.test.ts',
    'test/integration/gated-workers.test.ts',
  ],
  'test/e2e/differential-cluster-api.test.ts': [
    'test/differential/cluster-api/recordings.test.ts',
    'test/e2e/machines.test.ts',
  ],
  'test/e2e/differential-ironic.test.ts': ['test/e2e/differential.test.ts', 'test/e2e/life.test.ts'],
  'test/e2e/differential-settings.test.ts': ['test/e2e/machines.test.ts'],
  'test/e2e/discovery-limits.test.ts': ['domain/discovery/allow-list.test.ts', 'domain/discovery/decide.test.ts'],
  'test/e2e/discovery.test.ts': [
    'domain/discovery/decide.test.ts',
    'k8s-bridge/discovery/discover.test.ts',
    'k8s-bridge/discovery/known-hosts.test.ts',
  ],
  'test/e2e/drift.test.ts': ['k8s-bridge/sweeps/node-drift.test.ts', 'test/e2e/fixture.test.ts'],
  'test/e2e/installation.test.ts': ['test/integration/installation.test.ts', 'deploy/kubernetes/overlays.test.ts'],
  'test/e2e/kill-points.test.ts': ['test/e2e/chaos.test.ts', 'test/e2e/remediation.test.ts'],
  'test/e2e/kill-points-ironic.test.ts': ['test/e2e/chaos.test.ts', 'test/e2e/remediation.test.ts'],
  'test/e2e/lab-command.test.ts': ['test/e2e/start.test.ts', 'test/integration/lab-supervisor.test.ts'],
  'test/e2e/lost-databases.test.ts': [
    'test/e2e/chaos.test.ts',
    'test/e2e/runs.test.ts',
    'test/integration/bridge-rollback.test.ts',
    'test/integration/pools.test.ts',
  ],
  'test/e2e/mutated-hosts.test.ts': ['test/conversion/odd-objects.test.ts', 'domain/admission/baremetalhost.test.ts'],
  'test/e2e/namespaces-ironic.test.ts': ['test/e2e/namespaces.test.ts'],
  'test/e2e/normal-lives.test.ts': [
    'domain/usual-times/usual-times.test.ts',
    'k8s-bridge/usual-times/stuck-hosts.test.ts',
  ],
  'test/e2e/machine-api-remediation.test.ts': [
    'activities/kubernetes/remediation/own-machine.test.ts',
    'domain/machine-api/remediation.test.ts',
    'test/e2e/machine-api-actuator.test.ts',
  ],
  'test/e2e/machine-sets.test.ts': [
    'activities/kubernetes/machine-api/machine-sets.test.ts',
    'domain/machine-set/entity.test.ts',
    'test/e2e/machine-api-actuator.test.ts',
  ],
  'test/e2e/nothing-kept.test.ts': ['platform/kept.test.ts', 'k8s-bridge/choose-host/choose-host.test.ts'],
  'test/e2e/outages.test.ts': [
    'activities/ironic/wait-for-node.test.ts',
    'test/integration/fixture-activities.test.ts',
    'test/integration/life.test.ts',
  ],
  'test/e2e/polling.test.ts': ['activities/ironic/poll/poller.test.ts', 'test/integration/ironic-client.test.ts'],
  'test/e2e/power-sync.test.ts': ['k8s-bridge/sweeps/node-power.test.ts', 'test/integration/bridge-sweep.test.ts'],
  'test/e2e/provider-ids.test.ts': ['domain/machine/node-link/provider-id.test.ts', 'test/e2e/machines.test.ts'],
  'test/e2e/raid.test.ts': ['domain/ironic/clean/raid.test.ts'],
  'test/e2e/reset.test.ts': ['test/e2e/runs.test.ts'],
  'test/e2e/reset-points.test.ts': ['test/e2e/runs.test.ts', 'test/integration/life-operations.test.ts'],
  'test/e2e/restart.test.ts': ['test/e2e/chaos.test.ts', 'test/integration/bridge-restarts.test.ts'],
  'test/e2e/restored-databases.test.ts': ['test/e2e/chaos.test.ts', 'test/integration/bridge-rollback.test.ts'],
  'test/e2e/restored-different-times.test.ts': [
    'test/e2e/chaos.test.ts',
    'test/integration/bridge-rollback.test.ts',
    'domain/host/desired/asked-now.test.ts',
    'k8s-bridge/bindings/baremetalhost/outdated.test.ts',
  ],
  'test/e2e/restored-midway.test.ts': [
    'domain/host/outcome/node-observed.test.ts',
    'domain/ironic/moves/moves.test.ts',
    'k8s-bridge/sweeps/node-drift.test.ts',
  ],
  'test/e2e/restored-pools.test.ts': [
    'activities/kubernetes/ipam/any-order.test.ts',
    'test/integration/bridge-rollback.test.ts',
    'test/integration/pools.test.ts',
  ],
  'test/e2e/seed-test1.test.ts': ['test/e2e/start.test.ts'],
  'test/e2e/silent-ironic.test.ts': ['test/integration/queues.test.ts'],
  'test/e2e/sixty-operations.test.ts': ['test/integration/life.test.ts'],
  'test/e2e/steered-ironic.test.ts': ['test/e2e/steered-hosts.test.ts', 'test/e2e/steered-machines.test.ts'],
  'test/e2e/systems-ironic.test.ts': ['test/e2e/machine-api.test.ts', 'test/e2e/start.test.ts'],
  'test/e2e/virtual-media.test.ts': [
    'activities/ironic/media/media.test.ts',
    'test/integration/data-images.test.ts',
    'test/integration/preprovisioning-images.test.ts',
  ],
  'test/e2e/web-ui.test.ts': ['test/integration/life-operations.test.ts', 'lab/terminal/views.test.ts'],
  'test/e2e/web-ui-codec.test.ts': ['cli/codec/proxy.test.ts', 'test/integration/codec-server.test.ts'],
  'test/integration/ironic-life.test.ts': ['test/e2e/life.test.ts', 'test/integration/ironic-client.test.ts'],
  'test/integration/ironic-raid.test.ts': ['domain/ironic/clean/raid.test.ts', 'test/integration/preparation.test.ts'],
  // This test measures whether the Lease is renewed in time, which would fail beside other tests.
  'test/integration/webhook-flood.test.ts': [
    'k8s-bridge/webhooks/serving/limits.test.ts',
    'k8s-bridge/webhooks/serving/lane.test.ts',
    'k8s-bridge/webhooks/serving/isolated-server.test.ts',
  ],
  'test/e2e/workload-cluster.test.ts': ['test/e2e/start.test.ts', 'test/e2e/machines.test.ts'],
  'test/e2e/worker-versions.test.ts': ['platform/temporal/versions/standing.test.ts', 'test/replay/replay.test.ts'],
};

/** Options of vitest that leave these files out. */
export const LEFT_TO_THE_NIGHT: readonly string[] = Object.keys(AT_NIGHT).map((file) => `--exclude=${file}`);

/**
 * Test files with single stories for the night (`test/at-night.ts`), and the files with smaller tests of the same
 * behaviour that `npm test` runs.
 */
export async function storiesAtNight(): Promise<ReadonlyMap<string, readonly string[]>> {
  const files: [string, readonly string[]][] = [];
  for await (const file of glob('test/{e2e,integration}/*.test.ts', { cwd: ROOT })) {
    const text = await readFile(ROOT + file, 'utf8');
    const byDay = [...text.matchAll(STORY)].map(([, path = '']) => path);
    if (byDay.length > 0) files.push([file, byDay]);
  }
  return new Map(files.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Test files that do more at night: `scripts/nightly.ts` sets how much. By day, those that need promtool or nginx are skipped
 * where it is not installed.
 */
export const MORE_AT_NIGHT: readonly string[] = [
  'deploy/monitoring/rules.test.ts',
  'test/e2e/machine-api-actuator.test.ts',
  'test/e2e/monitoring.test.ts',
  'test/e2e/turns.test.ts',
  'test/e2e/differential.test.ts',
  'test/e2e/waiting-machines.test.ts',
  'test/integration/life.test.ts',
  'test/integration/data.test.ts',
  'test/integration/pools.test.ts',
  'test/integration/temporal-nginx.test.ts',
  'test/integration/webhook-pauses.test.ts',
  'test/conversion/as-read.test.ts',
  'test/conversion/nothing-lost.test.ts',
  'test/conversion/odd-objects.test.ts',
];

/** All test files of which a part, or all, is for the night. */
export async function filesForTheNight(): Promise<readonly string[]> {
  const nightly: string[] = [];
  for await (const file of glob('test/nightly/**/*.test.ts', { cwd: ROOT })) nightly.push(file);
  const files = [...nightly, ...Object.keys(AT_NIGHT), ...(await storiesAtNight()).keys(), ...MORE_AT_NIGHT];
  return [...new Set(files)].toSorted((a, b) => (a < b ? -1 : 1));
}
