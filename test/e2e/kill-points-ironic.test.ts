import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostPath } from '../../kube/paths.ts';
import { createHost, editHost, getHost, hostGone, hostThat, NAMESPACE } from './support/hosts.ts';
import { type Gates, openGates } from './support/kill-points/place.ts';
import { type Operation, playAtPoints } from './support/kill-points/play.ts';
import { createWalk } from './support/kill-points/walk.ts';
import type { TestLab } from './support/lab.ts';
import { machineOf } from './support/metal.ts';
import { joinLab } from './support/place/join.ts';

/** Like `kill-points.test.ts`, on real Ironic: what servers are told is Ironic's record, and what their disks have. */
const ALL = process.env['TEMPER_KILL_POINTS'] === 'all';
const MACHINES = ALL ? 12 : 8;
const HOSTS = Array.from({ length: MACHINES }, (_, index) => `host-${index}`);
const CAST = { understudies: HOSTS.slice(0, 2), hosts: HOSTS.slice(2) };

let lab: TestLab;
let gates: Gates;
const walk = createWalk({
  kill: (name, signal) => lab.kill(name, signal),
  start: (name) => lab.start(name),
});

beforeAll(async () => {
  gates = await openGates(walk.passage);
  lab = await joinLab({ machines: MACHINES, envOf: { bridge: gates.bridgeEnv, workers: gates.workersEnv } });
});
afterAll(async () => {
  await lab?.stop();
  await gates?.close();
});

const indexOf = (host: string): number => HOSTS.indexOf(host);

async function namesOf(host: string): Promise<readonly string[]> {
  const found = await getHost(lab, host);
  return [host, `${NAMESPACE}~${host}`, found?.status.provisioning.ID ?? ''];
}

const isFree = (host: string): Promise<unknown> =>
  hostThat(
    lab,
    host,
    'free',
    ({ spec, status: { provisioning, poweredOn, operationalStatus } }) =>
      provisioning.state === 'available' &&
      provisioning.image?.url === '' &&
      poweredOn === (spec['online'] === true) &&
      operationalStatus === 'OK',
  );
const hasImage = (host: string): Promise<unknown> =>
  hostThat(
    lab,
    host,
    'provisioned',
    ({ status: { provisioning, poweredOn } }) =>
      provisioning.state === 'provisioned' && provisioning.image?.url === lab.endpoints.testImage.url && poweredOn,
  );

async function freeHost(host: string): Promise<void> {
  const found = await getHost(lab, host);
  if (found === undefined) await createHost(lab, indexOf(host));
  else if (found.spec['image'] !== undefined) await editHost(lab, host, { image: null });
  await isFree(host);
}

async function deployedHost(host: string): Promise<void> {
  if ((await getHost(lab, host))?.spec['image'] === undefined) {
    await freeHost(host);
    await editHost(lab, host, { image: lab.endpoints.testImage });
  }
  await hasImage(host);
}

const writes = new Map<string, number>();
const writesOf = async (host: string): Promise<number> => (await machineOf(lab, indexOf(host))).disk.writes;

const OPERATIONS: readonly Operation[] = [
  {
    name: 'deploy',
    async prepare(host) {
      await freeHost(host);
      writes.set(host, await writesOf(host));
    },
    ask: (host) => editHost(lab, host, { image: lab.endpoints.testImage }),
    async done(host) {
      await hasImage(host);
      expect(await writesOf(host), `images written to the disk of ${host}`).toBe((writes.get(host) ?? 0) + 1);
    },
    requests: { active: 1 },
  },
  {
    name: 'undeploy',
    prepare: deployedHost,
    ask: (host) => editHost(lab, host, { image: null }),
    done: isFree,
    requests: { deleted: 1 },
  },
  {
    name: 'delete',
    prepare: freeHost,
    ask: (host) => lab.kube.request({ method: 'DELETE', path: hostPath({ namespace: NAMESPACE, name: host }) }),
    done: (host) => hostGone(lab, host),
    requests: {},
  },
];

test('a host ends as its objects say, and Ironic is told everything once, whichever write is the last of bridge or workers', async () => {
  const points = await playAtPoints({ walk, namesOf }, OPERATIONS, CAST, ALL ? 'all' : 'some');
  process.stdout.write(`bridge was killed ${walk.kills.bridge} times, workers ${walk.kills.workers} times\n`);
  process.stdout.write(points.map((point) => `  ${point}\n`).join(''));
  expect(points.length).toBeGreaterThan(0);
});
