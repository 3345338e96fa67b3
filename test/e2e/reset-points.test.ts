import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hostPath } from '../../kube/paths.ts';
import { hostWorkflowId, observed } from '../../workflows/messages.ts';
import { createRestores } from '../chaos/ends/restores.ts';
import { openJournal } from '../chaos/journal.ts';
import { settle } from '../chaos/settle.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { type Hold, type MachineRecords, type Operation, watchMachines } from './support/fixture-machines.ts';
import { withTemporal } from './support/histories.ts';
import { apply, editHost, hostIn, NAMESPACE } from './support/hosts.ts';
import type { Requests } from './support/kill-points/requests.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { WITH_SLOTS } from './support/place/quick-fixture.ts';
import { resetPointsOf, resetTo } from './support/resets.ts';

/**
 * The run of a host is reset while its machine is at work, and while it is at rest, each host at another point of its
 * last two runs. What the machines were told is counted by watching their records.
 */
const ALL_HOSTS = Number(process.env['TEMPER_RESET_HOSTS'] ?? 6);
const TESTS = 3;
/** The hosts of one test. */
const HOSTS = Math.ceil(ALL_HOSTS / TESTS);
/** A run is continued as new after so many events. */
const HISTORY_LIMIT = 150;

const PATIENCE = { timeout: 600_000, interval: 250 };

let lab: TestFixtureLab;
let machines: MachineRecords;
const folder = mkdtempSync(join(tmpdir(), 'temper-resets-'));
const journal = openJournal(join(folder, 'journal.jsonl'));
beforeAll(async () => {
  lab = await joinFixtureLab({
    temperEnv: { ...WITH_SLOTS, FIXTURE_TIME_SCALE: '1', TEMPER_HISTORY_LIMIT: `${HISTORY_LIMIT}` },
  });
  machines = watchMachines(lab.kube);
});
afterAll(async () => {
  machines?.close();
  await lab?.stop();
  rmSync(folder, { recursive: true });
});

const FIRST = { ...IMAGE, url: 'http://192.168.222.1/first.img' };
const SECOND = { ...IMAGE, url: 'http://192.168.222.1/second.img' };
const pathOf = (name: string): string => hostPath({ namespace: NAMESPACE, name });

/** Messages that are ignored fill the history, and a change that asks for nothing of the machine ends the run. */
const continuedAsNew = (name: string): Promise<void> =>
  withTemporal(lab, async ({ workflow }) => {
    const host = workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name }));
    const { runId } = await host.describe();
    await Promise.all(Array.from({ length: HISTORY_LIMIT }, () => host.signal(observed, {} as never)));
    await editHost(lab, name, { description: 'changed' });
    await expect.poll(async () => (await host.describe()).runId).not.toBe(runId);
  });

/** What a person asks for, and what the host does when its run is reset. */
interface Scene {
  readonly name: string;
  /** Absent: the host goes on by itself. */
  readonly ask?: (hosts: readonly string[]) => Promise<unknown>;
  /** State of the host. */
  readonly state: string;
  /** What its machine does then; absent: it is at rest. */
  readonly during?: Operation;
}

const SCENES: readonly Scene[] = [
  {
    name: 'a new host is inspected',
    ask: (hosts) => apply(lab, ...hosts.flatMap((host) => [fixtureSecret(host), fixtureHost(host, { image: FIRST })])),
    state: 'inspecting',
    during: 'inspect wait',
  },
  { name: 'it gets its image', state: 'provisioning', during: 'wait call-back' },
  {
    name: 'it is to get another image',
    ask: (hosts) => Promise.all(hosts.map((host) => editHost(lab, host, { image: SECOND }))),
    state: 'deprovisioning',
    during: 'deleting',
  },
  { name: 'it gets that image', state: 'provisioning', during: 'wait call-back' },
  { name: 'it is at rest', state: 'provisioned' },
  {
    name: 'its run was continued as new',
    ask: (hosts) => Promise.all(hosts.map(continuedAsNew)),
    state: 'provisioned',
  },
  {
    name: 'it is deleted',
    ask: (hosts) => Promise.all(hosts.map((host) => lab.kube.request({ method: 'DELETE', path: pathOf(host) }))),
    state: 'deprovisioning',
    during: 'deleting',
  },
];
/** What the machine of a host is told in all scenes together, as without any reset. */
const TOLD = { inspect: 1, active: 2, deleted: 2, off: 2 };

/** The point for the n-th of all hosts: together they have all, or from all parts of the runs. */
const chosen = <T>(points: readonly T[], nth: number): T | undefined =>
  points[ALL_HOSTS >= points.length ? nth % points.length : Math.floor((nth * points.length) / ALL_HOSTS)];

const runOf = (host: string): string => hostWorkflowId({ namespace: NAMESPACE, name: host });

/** The workflow of what the host does, as soon as it is begun. */
const operationOf = (host: string): Promise<string> =>
  withTemporal(lab, ({ workflow }) =>
    vi.waitFor(async () => {
      const [operation] = (await workflow.getHandle(runOf(host)).describe()).raw.pendingChildren ?? [];
      return operation?.workflowId ?? expect.fail(`${host} does nothing`);
    }, PATIENCE),
  );

interface Way {
  /** The first, second or third test: hosts of different tests are reset to different points. */
  readonly turn: number;
  /** Which workflow of a host is reset. */
  readonly of: (host: string) => string | Promise<string>;
  readonly isBridgeThere: boolean;
}

/** Resets a workflow of each host to a point of its own. Returns, in words, how many points there were. */
async function resetAll(hosts: readonly string[], { turn, of, isBridgeThere }: Way): Promise<string> {
  const found: number[] = [];
  const before: number[] = [];
  const refused: string[] = [];
  await Promise.all(
    hosts.map(async (host, nth) => {
      const points = await resetPointsOf(lab, await of(host));
      found.push(points.last.length);
      before.push(points.before.length);
      const point = chosen([...points.last, ...points.before], nth * TESTS + turn);
      if (point === undefined) throw new Error(`no workflow task of ${host} has ended`);
      await resetTo(lab, point, (nth % 2 === 0) === isBridgeThere ? 'sent again' : 'lost').catch((error: unknown) =>
        refused.push(`${host}, event ${String(point.eventId)}: ${String(error)}`),
      );
    }),
  );
  expect(refused).toEqual([]);
  const range = (counts: readonly number[]): string => `${Math.min(...counts)} to ${Math.max(...counts)}`;
  return `points of the last run: ${range(found)}, of the run before it: ${range(before)}`;
}

type ByHost = Readonly<Record<string, Requests>>;
const named = (prefix: string): readonly string[] => Array.from({ length: HOSTS }, (_, index) => `${prefix}-${index}`);
const toldOnce = (prefix: string): ByHost => Object.fromEntries(named(prefix).map((host) => [host, TOLD]));

/** Lets hosts with these names live, with a reset in each scene. Returns what the machine of each was told. */
async function live(prefix: string, scenes: readonly Scene[], way: Way): Promise<ByHost> {
  const hosts = named(prefix);
  /** Machines are held from the beginning of what they do: the first hosts would be done with it before the last come. */
  const holding = (scene: Scene | undefined): readonly Hold[] => {
    const during = scene?.during;
    return during === undefined ? [] : hosts.map((host) => machines.hold(host, during));
  };
  let holds = holding(scenes[0]);
  for (const [nth, { name, ask, state }] of scenes.entries()) {
    if (ask !== undefined) {
      await settle(lab, journal, createRestores('fixture'));
      await ask(hosts);
    }
    await Promise.all(hosts.map((host) => hostIn(lab, host, state)));
    const held = await Promise.all(holds.map((hold) => hold.held));
    const atWork = hosts.filter((_, at) => held[at]);
    expect(atWork.length > 0).toBe(holds.length > 0);
    if (!way.isBridgeThere) await lab.kill('bridge', 'SIGKILL');
    const points = await resetAll(way.of === operationOf ? atWork : hosts, way);
    const next = holding(scenes[nth + 1]);
    await Promise.all(holds.map((hold) => hold.release()));
    holds = next;
    if (!way.isBridgeThere) await lab.start('bridge');
    const times = `after ${Math.round(performance.now() / 1_000)} s`;
    process.stdout.write(
      `${prefix}: workflows were reset while ${name}, ${atWork.length} of ${HOSTS} machines at work; ${points}; ${times}\n`,
    );
  }
  await settle(lab, journal, createRestores('fixture'));
  await expect.poll(() => hosts.filter((host) => !machines.isGone(host)), PATIENCE).toEqual([]);
  const told = hosts.map((host) => {
    // A machine that was not made available before is made so once.
    const { provide = 0, ...others } = machines.told(host);
    return [host, provide > 1 ? { ...others, provide } : others] as const;
  });
  return Object.fromEntries(told);
}

describe('nothing is erased or deployed that its object does not ask for, and nothing twice', () => {
  test('whichever point the run of a host is reset to while the bridge runs', async () => {
    const told = await live('with-bridge', SCENES, { turn: 0, of: runOf, isBridgeThere: true });
    expect(told).toEqual(toldOnce('with-bridge'));
  });

  test('whichever point the run of a host is reset to while no bridge runs', async () => {
    const told = await live('without-bridge', SCENES, { turn: 1, of: runOf, isBridgeThere: false });
    expect(told).toEqual(toldOnce('without-bridge'));
  });

  test('whichever point an operation of a host is reset to', async () => {
    const busy = SCENES.filter(({ during }) => during !== undefined);
    const told = await live('operation', busy, { turn: 2, of: operationOf, isBridgeThere: true });
    expect(told).toEqual(toldOnce('operation'));
  });
});
