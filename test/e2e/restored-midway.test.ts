import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Image } from '../../api/baremetalhost/types.ts';
import { hostPath } from '../../kube/paths.ts';
import { disruptionsByNode, expectOnDisk, obey, settled } from './support/as-asked.ts';
import { copyWhileRunning, putBack } from './support/databases.ts';
import { createHost, editHost, getHost, type Host, hostIn, hostThat, NAMESPACE } from './support/hosts.ts';
import { aLab, type TestLab } from './support/lab.ts';
import { askIronic, letFail, machineOf, nodeOf, powerOf } from './support/metal.ts';
import { causesOf } from './support/reader.ts';
import { forgetRecorded } from './support/recorded.ts';
import { steered } from './support/steering.ts';

/** A copy of Ironic's database is made in the midst of operations, and put back when all of them have ended. */

/** The state of the host's node in the copy, and the image that the host asks for and has when the copy is put back. */
const ROLES = {
  'waits for a deployment': ['wait call-back', 'first'],
  'waits for cleaning': ['clean wait', 'second'],
  'waits for an inspection': ['inspect wait', undefined],
  'is deployed': ['deploying', 'first'],
  'is erased for another image': ['deleting', 'second'],
  'is erased': ['deleting', undefined],
  'is inspected': ['inspecting', 'first'],
  'is registered': ['verifying', 'first'],
} as const;
type Role = keyof typeof ROLES;
const ALL = Object.keys(ROLES) as readonly Role[];
/** These had an image before the copy, and the others had none. */
const ERASED: readonly Role[] = ['waits for cleaning', 'is erased for another image', 'is erased'];
/** Ironic waits for the deploy agents of these, and works on the servers of the others itself. */
const WAITING: readonly Role[] = ['waits for a deployment', 'waits for cleaning', 'waits for an inspection'];
/** Until all nodes are in their states, and the copy is made. */
const SLOW = { kind: 'slow-boot', milliseconds: 120_000, times: 1 } as const;

let lab: TestLab;
let images: Readonly<Record<'first' | 'second', Image>>;

const indexOf = (role: Role): number => ALL.indexOf(role);
const nameOf = (role: Role): string => `host-${indexOf(role)}`;
const others = (...without: readonly Role[]): readonly Role[] => ALL.filter((role) => !without.includes(role));

/** What the host's user does to have its node in that state. */
async function begin(role: Role): Promise<void> {
  const name = nameOf(role);
  if (role === 'is registered') await createHost(lab, indexOf(role));
  else if (role === 'waits for an inspection' || role === 'is inspected')
    await lab.kube.patch(hostPath({ namespace: NAMESPACE, name }), {
      metadata: { annotations: { 'inspect.metal3.io': '' } },
    });
  else await editHost(lab, name, { image: ERASED.includes(role) ? null : images.first });
}

/** The state of each node, by what its host is for. */
type States = Readonly<Partial<Record<Role, string>>>;
const wanted = (roles: readonly Role[]): States => Object.fromEntries(roles.map((role) => [role, ROLES[role][0]]));
const untilNodes = (roles: readonly Role[], states: States): Promise<void> =>
  vi.waitFor(
    async () => {
      const found = await Promise.all(
        roles.map(async (role) => [role, (await nodeOf(lab, nameOf(role))).provision_state] as const),
      );
      expect(Object.fromEntries(found)).toEqual(states);
    },
    { timeout: 600_000, interval: 200 },
  );

function expectStates(copy: string): void {
  const database = new DatabaseSync(join(copy, 'ironic.sqlite'), { readOnly: true });
  try {
    const rows = database.prepare('SELECT name, provision_state FROM nodes').all();
    const byName = new Map(rows.map((row) => [row['name'], String(row['provision_state'])]));
    const states = Object.fromEntries(ALL.map((role) => [role, byName.get(`${NAMESPACE}~${nameOf(role)}`)]));
    expect(states).toEqual(wanted(ALL));
  } finally {
    database.close();
  }
}

interface Machine {
  readonly disk: object;
  readonly powerOffs: number;
}
const machines = async (roles: readonly Role[]): Promise<Readonly<Partial<Record<Role, Machine>>>> =>
  Object.fromEntries(
    await Promise.all(
      roles.map(async (role) => {
        const { disk, powerOffs } = await machineOf(lab, indexOf(role));
        return [role, { disk, powerOffs }] as const;
      }),
    ),
  );

interface SeenCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}
const manageable = (host: Host | undefined): SeenCondition | undefined =>
  (host?.status['conditions'] as readonly SeenCondition[] | undefined)?.find(({ type }) => type === 'Manageable');

/** When the copy is put back. */
let before: Awaited<ReturnType<typeof machines>>;
const { eventsOf } = steered(() => lab, 'BareMetalHost');

/** Roles of hosts that have an image when the copy is put back, and whose nodes Ironic can't adopt then. */
const TOLD = {
  'waits for a deployment': 'wait call-back',
  'waits for cleaning': 'clean wait',
  'is deployed': 'deploy failed',
  'is erased for another image': 'error',
} as const;
const TOLD_ROLES = Object.keys(TOLD) as readonly (keyof typeof TOLD)[];

/** As the page says. */
async function deleteNode(role: Role): Promise<void> {
  const id = (await getHost(lab, nameOf(role)))?.status.provisioning.ID ?? '';
  await askIronic(lab, 'PUT', `nodes/${id}/maintenance`, {});
  await askIronic(lab, 'DELETE', `nodes/${id}`);
}

beforeAll(async () => {
  lab = await aLab({ machines: ALL.length, temperEnv: { IRONIC_SWEEP_INTERVAL: '2s' } });
  const url = `${lab.endpoints.images}/other-1MiB.raw`;
  images = { first: lab.endpoints.testImage, second: { url, checksum: `${url}.sha256`, checksumType: 'sha256' } };
  const early = others('is registered');
  // Ironic cleans a node before it deploys it for the first time.
  for (const role of early) await createHost(lab, indexOf(role), { image: images.first });
  await Promise.all(early.map((role) => hostIn(lab, nameOf(role), 'provisioned')));
  for (const role of others('is registered', ...ERASED)) await editHost(lab, nameOf(role), { image: null });
  await settled(lab, early.map(nameOf));

  for (const role of WAITING) await letFail(lab, indexOf(role), SLOW);
  for (const role of WAITING) await begin(role);
  await untilNodes(WAITING, wanted(WAITING));
  await lab.kill('redfish', 'SIGSTOP');
  for (const role of others(...WAITING)) await begin(role);
  await untilNodes(ALL, wanted(ALL));
  const copy = copyWhileRunning(lab, 'midway', 'ironic');
  await lab.kill('redfish', 'SIGCONT');
  expectStates(copy);

  for (const role of ALL) {
    const [, image] = ROLES[role];
    if (image !== undefined) await editHost(lab, nameOf(role), { image: images[image] });
  }
  await settled(lab, ALL.map(nameOf));
  await expectOnDisk(lab, ALL.map(nameOf));
});
afterAll(() => lab?.stop());

describe('hosts whose Ironic is put back to a time when it was at work on them', () => {
  test('that are in use have their nodes adopted, or say that these have to be deleted, and are left alone', async () => {
    before = await machines(ALL);
    await forgetRecorded(lab);

    await putBack(lab, 'midway', ['ironic']);

    await untilNodes(['is inspected', 'is registered'], { 'is inspected': 'active', 'is registered': 'active' });
    for (const role of TOLD_ROLES) {
      const name = nameOf(role);
      const state = `in state '${TOLD[role]}', although the host is in use`;
      const said = await hostThat(lab, name, state, (host) => manageable(host)?.message.includes(state) === true);
      expect(manageable(said)).toMatchObject({ status: 'False', reason: 'NodeNotInUse' });
      expect(said.status).toMatchObject({ operationalStatus: 'OK', poweredOn: true });
      expect(await eventsOf(name)).toContainEqual(expect.stringMatching(/^NodeNotInUse: Ironic has node /));
      const reader = { kube: lab.kube, kubeconfig: lab.endpoints.kubeconfig };
      expect(await causesOf(reader, 'host', name)).toContain('node-not-in-use');
    }
    const deleted = TOLD_ROLES.filter((role) => role !== 'waits for cleaning');
    for (const role of deleted) await deleteNode(role);
    await untilNodes(deleted, Object.fromEntries(deleted.map((role) => [role, 'active'])));
    await Promise.all(
      deleted.map((role) =>
        hostThat(lab, nameOf(role), 'manageable again', (host) => manageable(host)?.status === 'True'),
      ),
    );
    // Of the others, Ironic waits for the deploy agents, and switches their servers off when it gives up.
    const calm = others('waits for cleaning', 'waits for an inspection');
    const expected = Object.fromEntries(calm.map((role) => [role, before[role]]));
    expect(await machines(calm)).toEqual(expected);
    expect(await disruptionsByNode(lab)).toEqual({});
  });

  test('are adopted by themselves when Ironic has waited for their deploy agents in vain, and are switched on again', async () => {
    const role = 'waits for cleaning';
    const name = nameOf(role);
    const { powerOffs = 0 } = before[role] ?? {};
    const patience = { timeout: 600_000 };
    await expect.poll(async () => (await machineOf(lab, indexOf(role))).powerOffs, patience).toBe(powerOffs + 1);
    await expect.poll(() => eventsOf(name), patience).toContain('PowerOn: Host powered on');
    await settled(lab, [name]);
    await untilNodes([role], { [role]: 'active' });
    expect(await powerOf(lab, indexOf(role))).toBe('On');
    expect(manageable(await getHost(lab, name))?.status).toBe('True');
    expect(await machines([role])).toEqual({ [role]: { disk: before[role]?.disk, powerOffs: powerOffs + 1 } });
    expect(await disruptionsByNode(lab)).toEqual({});
  });

  test('that have no image are deployed when they are given one', async () => {
    const roles = ['waits for an inspection', 'is erased'] as const;
    for (const role of roles) await editHost(lab, nameOf(role), { image: images.second });
    await obey(lab, ALL.map(nameOf));
    await expectOnDisk(lab, ALL.map(nameOf));
    const [then, now] = [before, await machines(ALL)];
    const written = ALL.filter((role) => !isDeepStrictEqual(then[role]?.disk, now[role]?.disk));
    expect(written).toEqual(roles);
  });
});
