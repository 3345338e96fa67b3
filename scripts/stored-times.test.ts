import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = 'activities,domain,workflows,workers,k8s-bridge,kube,platform,cli';

/** The clock, compared with or subtracted from something. */
const CLOCK = String.raw`(?:\w+\.)?(?:clock\(\)|now\(\)|now)`;
const COMPARED = [
  new RegExp(String.raw`(?<![\w.])${CLOCK}\s+(?:[<>]=?|-)\s`),
  new RegExp(String.raw`\s(?:[<>]=?|-)\s+${CLOCK}(?![\w(.])`),
];
/** Two times, by their names, compared with each other: one of them may be of a clock that was ahead. */
const TIME = String.raw`(?:\w+\.)*(?:at|\w+At)`;
const TWO_TIMES = new RegExp(String.raw`(?<![\w.])${TIME}\s+[<>]=?\s+${TIME}(?![\w(.])`);
const HELPERS = /\b(?:believed|ageOf|hasCome)\(/;

/**
 * Files that compare a stored time with the clock by `domain/clock.ts`, and the test of a time in the future. A file
 * that calls `isPutOff` of `domain/entity/retry.ts` is not listed: `isPutOff` compares for it.
 */
const STORED: Readonly<Record<string, string>> = {
  'activities/fixture/activities.ts': 'domain/clock.test.ts',
  'activities/ironic/discovery/discovered-nodes.ts': 'domain/clock.test.ts',
  'activities/ironic/inspect/inspect.ts': 'domain/clock.test.ts',
  'activities/kubernetes/machine-api/remediation.ts': 'activities/kubernetes/machine-api/remediation.test.ts',
  'domain/allocation/memory.ts': 'domain/clock.test.ts',
  'domain/diagnosis/rows/temper.ts': 'domain/clock.test.ts',
  'domain/discovery/decide.ts': 'domain/discovery/decide.test.ts',
  'domain/discovery/known-hosts.ts': 'domain/discovery/decide.test.ts',
  'domain/entity/retry.ts': 'domain/entity/retry.test.ts',
  'domain/fixture/machine.ts': 'domain/clock.test.ts',
  'domain/host/approval/gate.ts': 'domain/host/approval/gate.test.ts',
  'domain/host/approval/place.ts': 'domain/clock.test.ts',
  'domain/host/capacity/slot-guard.ts': 'domain/clock.test.ts',
  'domain/host/guards.ts': 'domain/clock.test.ts',
  'domain/host/media/media.ts': 'domain/clock.test.ts',
  'domain/machine-api/remediation.ts': 'domain/machine-api/remediation.test.ts',
  'domain/machine-set/entity.ts': 'domain/clock.test.ts',
  'domain/other-operators/beside.ts': 'domain/other-operators/beside.test.ts',
  'domain/other-operators/running.ts': 'domain/other-operators/running.test.ts',
  'domain/remediation/free-node.ts': 'domain/clock.test.ts',
  'domain/remediation/next-step.ts': 'domain/remediation/next-step.test.ts',
  'domain/usual-times/usual-times.ts': 'domain/clock.test.ts',
  'k8s-bridge/bindings/data-template.ts': 'domain/clock.test.ts',
  'k8s-bridge/bindings/baremetalhost/outdated.ts': 'k8s-bridge/bindings/baremetalhost/outdated.test.ts',
  'k8s-bridge/bindings/ip-pool.ts': 'domain/clock.test.ts',
  'k8s-bridge/bindings/remediation.ts': 'k8s-bridge/bindings/remediation.test.ts',
  'k8s-bridge/discovery/discover.ts': 'domain/clock.test.ts',
  'k8s-bridge/ledger.ts': 'domain/clock.test.ts',
  'k8s-bridge/publish/judge.ts': 'k8s-bridge/publish/judge.test.ts',
  'k8s-bridge/publish/publish.ts': 'k8s-bridge/publish/publish.test.ts',
  'k8s-bridge/steering/steer-object.ts': 'k8s-bridge/steering/steering.test.ts',
  'k8s-bridge/sweeps/node-drift.ts': 'k8s-bridge/sweeps/node-drift.test.ts',
  'k8s-bridge/usual-times/stuck-hosts.ts': 'k8s-bridge/usual-times/stuck-hosts.test.ts',
  'k8s-bridge/webhooks/own-certificate.ts': 'k8s-bridge/webhooks/own-certificate.test.ts',
  'platform/temporal/failing-requests.ts': 'domain/clock.test.ts',
  'platform/temporal/history-mark.ts': 'domain/clock.test.ts',
};

const OWN = 'a time that this process has taken itself, and keeps in memory alone';
const SAME = 'an end that was computed in the same step, from a time that is believed';

/** Files that compare something else with the clock, and why a time in the future does no harm. */
const OTHERS: Readonly<Record<string, string>> = {
  'activities/fixture/activities.ts': 'times that are believed before, or judged by `settled`',
  'activities/freshness/fresh-host.ts': OWN,
  'activities/ironic/client/connection-source.ts': OWN,
  'activities/ironic/client/places.ts': 'the monotonic clock of this process',
  'activities/ironic/deployment/deploy.ts': 'in doubt, also with a time in the future, nothing is deployed again',
  'activities/ironic/poll/absence.ts': 'the monotonic clock of this process',
  'activities/ironic/poll/poller.ts': OWN,
  'activities/ironic/wait-for-node.ts': 'the beginning is at most now: activities/ironic/wait-for-node.test.ts',
  'activities/workload/nodes.ts': OWN,
  'activities/workload/remediation/sick-node.ts':
    'no longer than Temporal has given: activities/workload/remediation/sick-node.test.ts',
  'cli/codec/token.ts': OWN,
  'cli/explain/explanation.ts': 'words for a person, by the clock of that person',
  'cli/history/fleet.ts': 'how far back a person looks; an entry from the future is shown',
  'cli/history/lines.ts': 'the order of lines',
  'cli/uninstall/other-bridge.ts': OWN,
  'cli/uninstall/take-away.ts': OWN,
  'domain/allocation/memory.ts': 'the next timer; `isDue` has judged the time',
  'domain/diagnosis/rows/temper.ts': 'a time in the future is no evidence of a long stay',
  'domain/discovery/decide.ts': 'a number of hosts',
  'domain/entity/stale.ts': 'both directions: domain/entity/stale.test.ts',
  'domain/host/approval/place.ts': 'two seconds in which nothing is shown',
  'domain/host/approval/window.ts': 'times that follow from the window and the clock',
  'domain/host/capacity/slot-guard.ts': 'ten seconds in which nothing is shown',
  'domain/host/memory/memory.ts': 'a duration for people; one below 0 counts as 0',
  'domain/metrics/census.ts': 'the longest of all: one in the future counts as none',
  'domain/remediation/next-step.ts': SAME,
  'domain/remediation/wait-for-health.ts': SAME,
  'domain/usual-times/stuck.ts': 'k8s-bridge/usual-times/stuck-hosts.ts has judged the time',
  'k8s-bridge/lease/under-lease.ts': 'the monotonic clock of this process; times in the Lease are not compared',
  'k8s-bridge/publish/judge.ts':
    'an earlier revision is never written; whether its run is behind, the next query shows',
  'k8s-bridge/steering/steer-object.ts': 'words of a refusal',
  'k8s-bridge/sweeps/ironic-nodes.ts': 'two times of Ironic: a change of power is not noticed until the next one',
  'k8s-bridge/sweeps/resync.ts': OWN,
  'k8s-bridge/usual-times/stays.ts': 'a measurement; one below 0 counts as 0',
  'k8s-bridge/watch/measure-queue.ts': OWN,
  'k8s-bridge/webhooks/serving/server.ts': OWN,
  'kube/access.ts': 'when a token expires, as who made it says; the API server refuses one that has expired',
  'kube/gate.ts': OWN,
  'kube/rate-limit.ts': OWN,
  'kube/reflector.ts': OWN,
  'platform/health/health-thread.ts': 'the monotonic clock of this process',
  'platform/memory-at-rest.ts': OWN,
  'platform/probe.ts': OWN,
  'platform/temporal/history-mark.ts': 'two times of one event, as Temporal says them',
  'platform/temporal/live-pollers.ts': 'Temporal itself lists no poller for longer than some minutes',
  'platform/tls/certificates.ts': 'the beginning of a new certificate',
  'workflows/lock/workflow.ts': 'the next look of the run itself, minutes away at most',
  'workflows/life/timer.ts': 'the timer of a wait; the next step judges the time when it begins',
};

const production = (): readonly string[] =>
  globSync(`{${FOLDERS}}/**/*.ts`, { cwd: ROOT })
    .filter((file) => !file.endsWith('.test.ts') && file !== 'domain/clock.ts')
    .toSorted();

const linesOf = (file: string): readonly string[] =>
  readFileSync(join(ROOT, file), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(?:\*|\/[/*])/.test(line));

test('each comparison of a stored time with the clock takes a time in the future for an old one', () => {
  const using = production().filter((file) => linesOf(file).some((line) => HELPERS.test(line)));
  expect(using).toEqual(Object.keys(STORED).toSorted());
  for (const [file, named] of Object.entries(STORED))
    expect(readFileSync(join(ROOT, named), 'utf8'), file).toMatch(/future|ahead|next year|2027|2036/);
});

test('whatever else is compared with the clock is no stored time, or has a reason', () => {
  const compared = production().filter((file) =>
    linesOf(file).some((line) => !HELPERS.test(line) && [...COMPARED, TWO_TIMES].some((pattern) => pattern.test(line))),
  );
  expect(compared).toEqual(Object.keys(OTHERS).toSorted());
});
