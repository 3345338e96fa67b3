import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostPath } from '../../kube/paths.ts';
import { createHost, editHost, getHost, hostGone, hostThat, NAMESPACE } from './support/hosts.ts';
import { createKilling, namedHosts } from './support/kill-points/killing.ts';
import type { Operation } from './support/kill-points/play.ts';
import type { TestLab } from './support/lab.ts';
import { machineOf } from './support/metal.ts';
import { joinLab } from './support/place/join.ts';

/** Like `kill-points.test.ts`, on real Ironic: what servers are told is Ironic's record, and what their disks have. */
const HOSTS = namedHosts('host-', { some: 8, all: 12 });

let lab: TestLab;
const killing = createKilling(() => lab);

beforeAll(async () => {
  lab = await joinLab({ machines: HOSTS.length, envOf: await killing.openGates() });
});
afterAll(async () => {
  await lab?.stop();
  await killing.close();
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
  const { killed } = await killing.play(HOSTS, namesOf, OPERATIONS);
  expect(killed).not.toEqual([]);
});
