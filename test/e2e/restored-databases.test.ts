import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hostPath } from '../../kube/paths.ts';
import { hostWorkflowId, view } from '../../workflows/messages.ts';
import { ALL, backUp, type Database, putBack } from './support/databases.ts';
import { withTemporal } from './support/histories.ts';
import { createHost, editHost, getHost, type Host, hostGone, hostIn, hostThat, NAMESPACE } from './support/hosts.ts';
import { serveClusterApi } from './support/kinds.ts';
import { aLab, type TestLab } from './support/lab.ts';
import { aCluster, aMachine, on, remove } from './support/machines.ts';
import { forgetRecorded, recorded } from './support/recorded.ts';

/** What becomes of a host after the backup: nothing, another image, its first image, no image. */
const ROLES = ['kept', 'changed', 'given', 'taken'] as const;
type Role = (typeof ROLES)[number];
const HOSTS = Number(process.env['TEMPER_RESTORED_HOSTS'] ?? ROLES.length);
const isAtNight = HOSTS > ROLES.length;
const PATIENT = { timeout: 900_000, interval: 500 };

let lab: TestLab;
/** The hosts with a role, by name. */
const roles = new Map<string, Role>();
/** After the backup, one is claimed by another machine, one is deleted, one is created. */
let claimed: string;
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
  await aMachine(lab, 'test1', 'earliest', { spec: { ...on(claimed), image: second() } });
  await Promise.all([...roles.keys(), deleted, claimed].map((name) => hostIn(lab, name, 'provisioned')));
  // A node that was cleaned after an image is `available` in Ironic.
  await wish(before);
});
afterAll(() => lab?.stop());

/** Each host gets what its role asks for, and has it. */
async function wish(imageOf: (role: Role) => Wish): Promise<void> {
  for (const [name, role] of roles) await editHost(lab, name, { online: true, image: imageOf(role) });
  await settled([...roles.keys()]);
}

/** As Cluster API deletes a Machine. */
async function removeMachine(name: string): Promise<void> {
  await remove(lab, 'metal3Machine', name);
  await remove(lab, 'machine', name);
}

/** The host that was released goes to another machine, which wants another image. */
async function giveTo(machine: string, image: Wish): Promise<void> {
  await hostThat(lab, claimed, 'released', ({ spec }) => spec['consumerRef'] === undefined);
  await aMachine(lab, 'test1', machine, { spec: { ...on(claimed), image } });
  await hostThat(
    lab,
    claimed,
    'claimed again',
    ({ spec, status }) =>
      (spec['consumerRef'] as { readonly name?: string } | undefined)?.name === machine &&
      status.provisioning.state === 'provisioned',
  );
}

/** What the spec asks for, and whether the host's run has brought it about and waits for nothing but a change. */
async function isAsAsked(name: string): Promise<string> {
  const host = await getHost(lab, name);
  if (host === undefined) return 'does not exist';
  const image = (host.spec['image'] as { readonly url: string } | undefined)?.url ?? '';
  const run = await withTemporal(lab, (client) =>
    client.workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name })).query(view),
  );
  const asked = { state: image === '' ? 'available' : 'provisioned', image };
  const { operationalStatus, provisioning } = host.status;
  const shown = { state: provisioning.state, image: provisioning.image?.url ?? '' };
  const known = (run?.status as Host['status'] | undefined)?.provisioning;
  const inRun = { state: run?.state ?? '', image: known?.image?.url ?? '' };
  if (operationalStatus !== 'OK') return `is ${operationalStatus}: ${host.status.errorMessage}`;
  if (JSON.stringify(asked) !== JSON.stringify(shown)) return `asks for ${asked.state} ${image}, shows ${shown.state}`;
  if (JSON.stringify(asked) !== JSON.stringify(inRun)) return `asks for ${asked.state}, its run is ${inRun.state}`;
  // Before it, the reason of a host that is to be off says that it is.
  const isAtRest = /(^|; )(provisioned as desired|waiting for an image in spec\.image)$/.test(run?.waitingFor ?? '');
  return isAtRest ? 'as asked' : `its run waits: ${run?.waitingFor}`;
}

const settled = (names: readonly string[]): Promise<unknown> =>
  Promise.all(names.map((name) => vi.waitFor(async () => expect(await isAsAsked(name)).toBe('as asked'), PATIENT)));

/** Changes each host and waits until the change shows: then its run knows the present object and is at rest. */
async function obey(names: readonly string[]): Promise<void> {
  await settled(names);
  for (const name of names) await editHost(lab, name, { online: false });
  await Promise.all(names.map((name) => hostThat(lab, name, 'off', ({ status }) => !status.poweredOn)));
  await settled(names);
  await Promise.all(names.map((name) => expect.poll(() => nodeStateOf(name), PATIENT).toBe('as shown')));
}

/** Ironic regards a host with an image as in use. */
async function nodeStateOf(name: string): Promise<string> {
  const host = await getHost(lab, name);
  const url = new URL(`nodes/${host?.status.provisioning.ID}?fields=provision_state`, lab.endpoints.ironicDirect);
  const answer = await fetch(url, { headers: { 'X-OpenStack-Ironic-API-Version': '1.89' } });
  const { provision_state: state } = (await answer.json()) as { readonly provision_state?: string };
  return host?.status.provisioning.state !== 'provisioned' || state === 'active' ? 'as shown' : `${state}`;
}

/** Requests to Ironic that interrupt a machine, by host, as the proxy in front of Ironic counted them: `deleted 1`. */
async function disruptions(names: readonly string[]): Promise<Readonly<Record<string, readonly string[]>>> {
  const { provisions } = await recorded(lab);
  const found = await Promise.all(
    names.map(async (name) => {
      const node = (await getHost(lab, name))?.status.provisioning.ID ?? '';
      const counts = ['deleted', 'active', 'clean', 'provide', 'inspect', 'rebuild'].flatMap((target) => {
        const count = provisions[target]?.[node] ?? 0;
        return count === 0 ? [] : [`${target} ${count}`];
      });
      return [name, counts] as const;
    }),
  );
  return Object.fromEntries(found.filter(([, counts]) => counts.length > 0));
}

const REPLACED = ['deleted 1', 'active 1'];
/** What each role's object asks for after etcd was put back, of which the machine has something else. */
const ASKED: Readonly<Record<Role, readonly string[]>> = {
  kept: [],
  changed: REPLACED,
  given: ['deleted 1'],
  taken: ['active 1'],
};
const asked = (): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    [...roles].map(([name, role]) => [name, ASKED[role]] as const).filter(([, all]) => all.length > 0),
  );

/**
 * As the procedure says. Workers that go on have runs in memory that are newer than Temporal's copy, and a bridge that
 * goes on may not notice that Temporal was replaced.
 */
async function putBackAsDocumented(name: string, databases: readonly Database[]): Promise<void> {
  const restarted = databases.includes('temporal') ? ['bridge', 'workers'] : [];
  for (const each of restarted) await lab.kill(each, 'SIGKILL');
  await putBack(lab, name, databases);
  for (const each of restarted) await lab.start(each);
}

describe(`${HOSTS + 3} hosts that go on after a backup`, () => {
  test('keep their images and their machines when Temporal is put back to a time when they were erased for others', async () => {
    const going = wish(after);
    await removeMachine('earliest');
    const erased = [...roles].flatMap(([name, role]) => (role === 'changed' || role === 'taken' ? [name] : []));
    await Promise.all([...erased, claimed].map((name) => hostIn(lab, name, 'deprovisioning')));
    await backUp(lab, 'deprovisioning', ['temporal']);
    await Promise.all([going, giveTo('earlier', first())]);
    await forgetRecorded(lab);

    await putBackAsDocumented('deprovisioning', ['temporal']);

    const names = [...roles.keys(), claimed];
    await settled(names);
    // A machine switches its host on again.
    await obey([...roles.keys()]);
    expect((await getHost(lab, claimed))?.spec['consumerRef']).toMatchObject({ name: 'earlier' });
    expect(await disruptions(names)).toEqual({});
    await wish(before);
  });

  test('follow their objects when etcd is put back, and nothing is erased or deployed for which these do not ask', async () => {
    await backUp(lab, 'etcd', ['etcd']);
    const going = wish(after);
    const made = await createHost(lab, HOSTS + 2, { image: first() });
    await remove(lab, 'host', deleted);
    await removeMachine('earlier');
    await giveTo('later', second());
    await Promise.all([going, hostGone(lab, deleted), hostIn(lab, made, 'provisioned')]);
    const node = (await getHost(lab, made))?.status.provisioning.ID ?? '';
    await forgetRecorded(lab);

    await putBack(lab, 'etcd', ['etcd']);

    const names = [...roles.keys(), deleted, claimed];
    await settled(names);
    await obey([...roles.keys(), deleted]);
    expect((await getHost(lab, claimed))?.spec['consumerRef']).toMatchObject({ name: 'earlier' });
    expect(await disruptions(names)).toEqual({ ...asked(), [claimed]: REPLACED });
    // Its object is of the time after the backup: nobody asks for anything on it.
    expect(await getHost(lab, made)).toBeUndefined();
    expect(Object.values((await recorded(lab)).provisions).filter((byNode) => node in byNode)).toEqual([]);
  });

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

      await putBackAsDocumented(put.join('-'), put);

      await obey(names);
      // Only the runs know what happened since the backup of etcd; without them its objects are all that is known.
      const knows = put.includes('etcd') && !put.includes('temporal');
      const allowed = knows ? asked() : {};
      const beyond = Object.entries(await disruptions(names)).flatMap(([name, counts]) =>
        counts.filter((count) => !allowed[name]?.includes(count)).map((count) => `${roles.get(name)}: ${count}`),
      );
      expect(beyond).toEqual([]);
    },
  );
});
