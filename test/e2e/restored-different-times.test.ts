import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Image } from '../../api/baremetalhost/types.ts';
import { hostPath } from '../../kube/paths.ts';
import { disruptionsByNode, expectOnDisk, imagesOnDisk, obey, settled } from './support/as-asked.ts';
import { ALL, backUp, type Database, putBack } from './support/databases.ts';
import { giveTo, removeMachine } from './support/handed-over.ts';
import { availability, createHost, editHost, getHost, hostGone, hostIn, hostThat, NAMESPACE } from './support/hosts.ts';
import { serveClusterApi } from './support/kinds.ts';
import { aLab, type TestLab } from './support/lab.ts';
import { aCluster, aMachine, on, remove } from './support/machines.ts';
import { askIronic } from './support/metal.ts';
import { forgetRecorded } from './support/recorded.ts';

/** Copies of etcd, Temporal and Ironic that were made at three times are put back together, in every order. */

/** The image that each host has at these three times, and after the last one; undefined: none. */
const IMAGES = {
  kept: ['a', 'a', 'a', 'a'],
  changed: ['a', 'b', 'c', 'a'],
  returned: ['a', 'b', 'a', 'b'],
  given: [undefined, 'a', 'a', 'b'],
  taken: ['a', 'a', undefined, undefined],
} as const;
type Role = keyof typeof IMAGES;
const ROLES = Object.keys(IMAGES) as readonly Role[];
const TIMES = [0, 1, 2] as const;
type Time = (typeof TIMES)[number];
/** A host is claimed by other machines, one is deleted after the second time, one is created after the first. */
const OTHERS = ['claimed', 'deleted', 'made'] as const;
type Name = Role | (typeof OTHERS)[number];
const MACHINES = ['one', 'two', 'three', 'four'] as const;
const MACHINE_IMAGES = ['b', 'a', 'b', 'a'] as const;

let lab: TestLab;
const hosts = new Map<Name, string>();
/** The names of all nodes that these hosts ever had. */
const nodes = new Map<string, Name>();

const hostOf = (name: Name): string => hosts.get(name) ?? '';

function image(name: 'a' | 'b' | 'c'): Image {
  const url = `${lab.endpoints.images}/${name}-1MiB.raw`;
  return { url, checksum: `${url}.sha256`, checksumType: 'sha256' };
}

/** Each host gets the image that it has at that time, and has it. */
async function wish(time: Time | 3): Promise<void> {
  for (const role of ROLES) {
    const wanted = IMAGES[role][time];
    await editHost(lab, hostOf(role), { online: true, image: wanted === undefined ? null : image(wanted) });
  }
  await settled(lab, ROLES.map(hostOf));
}

async function noteNodes(): Promise<void> {
  for (const [name, host] of hosts) {
    const id = (await getHost(lab, host))?.status.provisioning.ID;
    if (id) nodes.set(id, name);
  }
}

async function handOver(time: Time | 3): Promise<void> {
  await removeMachine(lab, MACHINES[(time - 1) as Time]);
  const [machine, wanted] = [MACHINES[time], image(MACHINE_IMAGES[time])];
  await giveTo(lab, { cluster: 'test1', host: hostOf('claimed'), machine, image: wanted });
}

const copyAt = (time: Time): string => `time-${time}`;

beforeAll(async () => {
  lab = await aLab({ machines: ROLES.length + OTHERS.length, temperEnv: { IRONIC_SWEEP_INTERVAL: '2s' } });
  await serveClusterApi(lab.kube);
  await lab.kill('bridge', 'SIGKILL');
  await lab.start('bridge');
  await aCluster(lab, 'test1');
  for (const [index, role] of ROLES.entries()) hosts.set(role, await createHost(lab, index, { image: image('a') }));
  hosts.set('claimed', await createHost(lab, ROLES.length));
  hosts.set('deleted', await createHost(lab, ROLES.length + 1, { image: image('a') }));
  const claimed = hostOf('claimed');
  await lab.kube.patch(hostPath({ namespace: NAMESPACE, name: claimed }), { metadata: { labels: { for: claimed } } });
  await aMachine(lab, 'test1', MACHINES[0], { spec: { ...on(claimed), image: image(MACHINE_IMAGES[0]) } });
  await Promise.all([...hosts.values()].map((name) => hostIn(lab, name, 'provisioned')));
  await wish(0);
  await noteNodes();
  await backUp(lab, copyAt(0), ALL);

  const made = createHost(lab, ROLES.length + 2, { image: image('a') });
  hosts.set('made', await made);
  await Promise.all([wish(1), handOver(1), hostIn(lab, hostOf('made'), 'provisioned')]);
  await noteNodes();
  await backUp(lab, copyAt(1), ALL);

  await remove(lab, 'host', hostOf('deleted'));
  await Promise.all([wish(2), handOver(2), hostGone(lab, hostOf('deleted'))]);
  await backUp(lab, copyAt(2), ALL);

  await editHost(lab, hostOf('made'), { image: image('b') });
  await Promise.all([wish(3), handOver(3)]);
});
afterAll(() => lab?.stop());

const REPLACED = ['deleted 1', 'active 1'];

/** What may be asked of the machine of a host whose object is of one time and whose run of another. */
function allowed(name: Name | undefined, etcd: Time, temporal: Time): readonly string[] {
  // The object shows more than an older run knows, and is as its spec asks.
  if (temporal <= etcd || name === undefined) return [];
  if (name === 'claimed') return REPLACED;
  if (name === 'deleted' || name === 'made') return [];
  const [wanted, known] = [IMAGES[name][etcd], IMAGES[name][temporal]];
  if (wanted === known) return [];
  if (wanted === undefined) return ['deleted 1'];
  return known === undefined ? ['active 1'] : REPLACED;
}

/**
 * Objects and runs may both say that a host has what it asks for, or objects and Ironic that it has this image: what is
 * on the disk stays.
 */
function isUnknown(name: Name, { etcd, temporal, ironic }: Readonly<Record<Database, Time>>): boolean {
  if (name === 'kept') return false;
  if (allowed(name, etcd, temporal).length === 0) return true;
  if (name === 'claimed' || name === 'deleted' || name === 'made') return false;
  const wanted = IMAGES[name][etcd];
  return wanted !== undefined && wanted === IMAGES[name][ironic];
}

/** Its node has an image in Ironic's copy, which neither its object nor its run knows. */
const isOccupied = (name: Name, { etcd, temporal, ironic }: Readonly<Record<Database, Time>>): boolean =>
  name in IMAGES &&
  IMAGES[name as Role][etcd] === undefined &&
  IMAGES[name as Role][ironic] !== undefined &&
  allowed(name, etcd, temporal).length === 0;

/** The host says so, and people delete its node, as docs/operations/backup-and-restore.md tells them. */
async function freeOccupied(name: string): Promise<void> {
  const { status } = await hostThat(lab, name, 'occupied', (host) => availability(host)?.reason === 'NodeOccupied');
  const node = `nodes/${status.provisioning.ID}`;
  await askIronic(lab, 'PUT', `${node}/maintenance`, { reason: 'its host has no image any more' });
  await askIronic(lab, 'DELETE', node);
}

const existsAt = (name: Name, time: Time): boolean => (name !== 'deleted' || time < 2) && (name !== 'made' || time > 0);

const ORDERS = TIMES.flatMap((etcd) =>
  TIMES.flatMap((temporal) =>
    TIMES.filter((ironic) => new Set([etcd, temporal, ironic]).size === 3).map((ironic) => ({
      etcd,
      temporal,
      ironic,
    })),
  ),
);

/** All of them at once, each as it was at its time. */
async function putBackFrom(times: Readonly<Record<Database, Time>>): Promise<void> {
  for (const each of ['bridge', 'workers']) await lab.kill(each, 'SIGKILL');
  for (const database of ALL) await putBack(lab, copyAt(times[database]), [database]);
  for (const each of ['bridge', 'workers']) await lab.start(each);
}

describe('hosts whose databases are put back to three different times', () => {
  test.each(ORDERS)(
    'end as their objects say, and nothing else is erased or deployed: etcd of time $etcd, Temporal of $temporal, Ironic of $ironic',
    async (times) => {
      const { etcd, temporal } = times;
      await forgetRecorded(lab);

      const present = [...hosts.keys()].filter((name) => existsAt(name, etcd));
      const unknown = await imagesOnDisk(lab, present.filter((name) => isUnknown(name, times)).map(hostOf));

      await putBackFrom(times);

      await Promise.all(present.filter((name) => isOccupied(name, times)).map((name) => freeOccupied(hostOf(name))));
      await settled(lab, present.map(hostOf));
      // A machine switches its host on again.
      await obey(lab, present.filter((name) => name !== 'claimed').map(hostOf));
      await expectOnDisk(lab, present.map(hostOf), unknown);
      await noteNodes();
      for (const name of hosts.keys()) {
        const host = await getHost(lab, hostOf(name));
        expect(`${name} ${host === undefined ? 'is gone' : 'exists'}`).toBe(
          `${name} ${existsAt(name, etcd) ? 'exists' : 'is gone'}`,
        );
      }
      expect((await getHost(lab, hostOf('claimed')))?.spec['consumerRef']).toMatchObject({ name: MACHINES[etcd] });
      const beyond = Object.entries(await disruptionsByNode(lab)).flatMap(([node, counts]) => {
        const name = nodes.get(node);
        const may = allowed(name, etcd, temporal);
        return counts.filter((count) => !may.includes(count)).map((count) => `${name ?? node}: ${count}`);
      });
      expect(beyond).toEqual([]);
    },
  );
});
