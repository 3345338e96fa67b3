import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostPath } from '../../kube/paths.ts';
import { type Counts, disruptions, expectOnDisk, imagesOnDisk, obey, settled } from './support/as-asked.ts';
import { ALL, backUp, type Database, putBack } from './support/databases.ts';
import { giveTo, removeMachine } from './support/handed-over.ts';
import { createHost, editHost, getHost, hostGone, hostIn, NAMESPACE } from './support/hosts.ts';
import { serveClusterApi } from './support/kinds.ts';
import { aLab, type TestLab } from './support/lab.ts';
import { aCluster, aMachine, on, remove } from './support/machines.ts';
import { forgetRecorded, recorded } from './support/recorded.ts';

/** What becomes of a host after the backup: nothing, another image, its first image, no image. */
const ROLES = ['kept', 'changed', 'given', 'taken'] as const;
type Role = (typeof ROLES)[number];
const HOSTS = Number(process.env['TEMPER_RESTORED_HOSTS'] ?? ROLES.length);
const isAtNight = HOSTS > ROLES.length;

let lab: TestLab;
/** The hosts with a role, by name. */
const roles = new Map<string, Role>();
/** After the backup, one is claimed by another machine, one is deleted, one is created. */
let claimed: string;
/** The machine that has it. */
let consumer = 'earliest';
let deleted: string;

const first = () => lab.endpoints.testImage;
const second = () => {
  const url = `${lab.endpoints.images}/other-1MiB.raw`;
  return { url, checksum: `${url}.sha256`, checksumType: 'sha256' };
};
type Wish = ReturnType<typeof second> | null;
const before = (role: Role): Wish => (role === 'given' ? null : first());
const after = (role: Role): Wish => ({ kept: first(), changed: second(), given: first(), taken: null })[role];

beforeAll(async () => {
  const temperEnv = { IRONIC_SWEEP_INTERVAL: '2s' };
  lab = await aLab({ machines: HOSTS + 3, temperEnv });
  await serveClusterApi(lab.kube);
  await lab.kill('bridge', 'SIGKILL');
  await lab.start('bridge');
  await aCluster(lab, 'test1');
  for (let index = 0; index < HOSTS; index++)
    roles.set(await createHost(lab, index, { image: first() }), ROLES[index % ROLES.length] ?? 'kept');
  deleted = await createHost(lab, HOSTS, { image: first() });
  claimed = await createHost(lab, HOSTS + 1);
  await lab.kube.patch(hostPath({ namespace: NAMESPACE, name: claimed }), { metadata: { labels: { for: claimed } } });
  await aMachine(lab, 'test1', consumer, { spec: { ...on(claimed), image: second() } });
  await Promise.all([...roles.keys(), deleted, claimed].map((name) => hostIn(lab, name, 'provisioned')));
  // A node that was cleaned after an image is `available` in Ironic.
  await wish(before);
});
afterAll(() => lab?.stop());

/** Each host gets what its role asks for, and has it. */
async function wish(imageOf: (role: Role) => Wish): Promise<void> {
  for (const [name, role] of roles) await editHost(lab, name, { online: true, image: imageOf(role) });
  await settled(lab, [...roles.keys()]);
}

/** The host that was released goes to another machine, which wants another image. */
async function claimFor(machine: string, image: ReturnType<typeof second>): Promise<void> {
  await giveTo(lab, { cluster: 'test1', host: claimed, machine, image });
  consumer = machine;
}

const REPLACED = ['deleted 1', 'active 1'];
/** What each role's object asks for after etcd was put back, of which the machine has something else. */
const ASKED: Readonly<Record<Role, readonly string[]>> = {
  kept: [],
  changed: REPLACED,
  given: ['deleted 1'],
  taken: ['active 1'],
};
const asked = (): Counts =>
  Object.fromEntries(
    [...roles].map(([name, role]) => [name, ASKED[role]] as const).filter(([, all]) => all.length > 0),
  );

/**
 * As the procedure says: workers that go on have runs in memory that are newer than Temporal's copy, and a bridge that
 * goes on may not notice that Temporal was replaced.
 */
async function putBackAsDocumented(name: string, databases: readonly Database[]): Promise<void> {
  const restarted = databases.includes('temporal') ? ['bridge', 'workers'] : [];
  for (const each of restarted) await lab.kill(each, 'SIGKILL');
  await putBack(lab, name, databases);
  for (const each of restarted) await lab.start(each);
}

describe(`${HOSTS + 3} hosts that go on after a backup`, () => {
  const RESTORES = [
    ['with bridge and workers stopped', 'earlier', putBackAsDocumented],
    [
      'while bridge and workers go on',
      'middle',
      (name: string, databases: readonly Database[]) => putBack(lab, name, databases),
    ],
  ] as const;
  test.each(RESTORES)(
    'keep their images and their machines when Temporal is put back, %s, to a time when they were erased for others',
    async (_, next, restore) => {
      const going = wish(after);
      await removeMachine(lab, consumer);
      const erased = [...roles].flatMap(([name, role]) => (role === 'changed' || role === 'taken' ? [name] : []));
      await Promise.all([...erased, claimed].map((name) => hostIn(lab, name, 'deprovisioning')));
      await backUp(lab, next, ['temporal']);
      await Promise.all([going, claimFor(next, first())]);
      await forgetRecorded(lab);

      await restore(next, ['temporal']);

      const names = [...roles.keys(), claimed];
      await settled(lab, names);
      // A machine switches its host on again.
      await obey(lab, [...roles.keys()]);
      expect((await getHost(lab, claimed))?.spec['consumerRef']).toMatchObject({ name: next });
      await expectOnDisk(lab, names);
      expect(await disruptions(lab, names)).toEqual({});
      await wish(before);
    },
  );

  test('follow their objects when etcd is put back, and nothing is erased or deployed for which these do not ask', async () => {
    await backUp(lab, 'etcd', ['etcd']);
    const going = wish(after);
    const made = await createHost(lab, HOSTS + 2, { image: first() });
    await remove(lab, 'host', deleted);
    const former = consumer;
    await removeMachine(lab, consumer);
    await claimFor('later', second());
    await Promise.all([going, hostGone(lab, deleted), hostIn(lab, made, 'provisioned')]);
    const node = (await getHost(lab, made))?.status.provisioning.ID ?? '';
    await forgetRecorded(lab);

    await putBack(lab, 'etcd', ['etcd']);

    const names = [...roles.keys(), deleted, claimed];
    await settled(lab, names);
    await obey(lab, [...roles.keys(), deleted]);
    expect((await getHost(lab, claimed))?.spec['consumerRef']).toMatchObject({ name: former });
    // The disk of the host that was deleted is empty. Its run ended with it, so nobody knows that.
    await expectOnDisk(lab, names, { [deleted]: '' });
    expect(await disruptions(lab, names)).toEqual({ ...asked(), [claimed]: REPLACED });
    // Its object is of the time after the backup: nobody asks for anything on it.
    expect(await getHost(lab, made)).toBeUndefined();
    expect(Object.values((await recorded(lab)).provisions).filter((byNode) => node in byNode)).toEqual([]);
  });

  test('keep what they have when etcd is put back while no worker runs, and the changes since are repeated before one does', async () => {
    const names = [...roles.keys()];
    await wish(before);
    await backUp(lab, 'repeated', ['etcd']);
    await wish(after);
    await forgetRecorded(lab);

    await lab.kill('workers', 'SIGKILL');
    await putBack(lab, 'repeated', ['etcd']);
    for (const [name, role] of roles) await editHost(lab, name, { online: true, image: after(role) });
    await lab.start('workers');

    await settled(lab, names);
    await expectOnDisk(lab, names);
    expect(await disruptions(lab, names)).toEqual({});
  });

  /**
   * Objects and runs of the time of the backup both say that the host has what it asks for, or objects and Ironic that
   * it has this image: what is on the disk stays.
   */
  const isUnknown = (role: Role, put: readonly Database[]): boolean =>
    put.includes('etcd') && (put.includes('temporal') || (put.includes('ironic') && before(role) !== null));

  const COMBINATIONS: readonly (readonly Database[])[] = [
    ['temporal', 'ironic'],
    ['temporal'],
    ['ironic'],
    ['etcd', 'temporal'],
    ['etcd', 'ironic'],
    ALL,
  ];
  // `npm test` puts back databases in `chaos.test.ts`.
  const chosen = isAtNight ? COMBINATIONS : [];
  test.each(chosen.map((put) => [put.join(' and '), put] as const))(
    'follow their objects when an older copy of %s is put back, and nothing else is erased or deployed',
    async (_, put) => {
      const names = [...roles.keys()];
      // A node that was only adopted has no image in Ironic's record, and is deployed anew when its object is changed.
      await wish(() => null);
      await wish(before);
      await backUp(lab, put.join('-'), put);
      await wish(after);
      await forgetRecorded(lab);
      const unknown = await imagesOnDisk(
        lab,
        names.filter((name) => isUnknown(roles.get(name) ?? 'kept', put)),
      );

      await putBackAsDocumented(put.join('-'), put);

      await obey(lab, names);
      await expectOnDisk(lab, names, unknown);
      // Only the runs know what happened since the backup of etcd; without them its objects are all that is known.
      const knows = put.includes('etcd') && !put.includes('temporal');
      const allowed = knows ? asked() : {};
      const beyond = Object.entries(await disruptions(lab, names)).flatMap(([name, counts]) =>
        counts.filter((count) => !allowed[name]?.includes(count)).map((count) => `${roles.get(name)}: ${count}`),
      );
      expect(beyond).toEqual([]);
    },
  );
});
