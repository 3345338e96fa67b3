import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventCollection } from '../../kube/paths.ts';
import { hostWorkflowId, view } from '../../workflows/messages.ts';
import { codeIn, heldIn } from './support/approvals.ts';
import { backUp, putBack, removeDatabase, whileDown } from './support/databases.ts';
import { withTemporal } from './support/histories.ts';
import { createHost, editHost, getHost, type Host, hostIn, hostThat, kubectl, NAMESPACE } from './support/hosts.ts';
import { aLab, type TestLab } from './support/lab.ts';
import { forgetRecorded, recorded } from './support/recorded.ts';
import { steered } from './support/steering.ts';

/** Hosts with an image, and one of the two databases behind them is lost. */
const HOSTS = Number(process.env['TEMPER_LOST_HOSTS'] ?? 3);
let lab: TestLab;
let names: readonly string[];

beforeAll(async () => {
  lab = await aLab({ machines: HOSTS });
  await keepEmptyDatabase();
  names = await Promise.all(
    Array.from({ length: HOSTS }, (_, index) => createHost(lab, index, { image: lab.endpoints.testImage })),
  );
  await Promise.all(names.map((name) => hostIn(lab, name, 'provisioned')));
});
afterAll(() => lab?.stop());

const ironicDatabase = (): string => join(lab.dir, 'ironic', 'ironic.sqlite');
const emptyDatabase = (): string => join(lab.dir, 'empty.sqlite');

/** Ironic's database with its tables but without nodes. */
async function keepEmptyDatabase(): Promise<void> {
  await whileDown(lab, ['ironic'], () => copyFile(ironicDatabase(), emptyDatabase()));
}

/** Each host waits for nothing but a change of its spec. */
const allAreSettled = (): Promise<unknown> =>
  withTemporal(lab, (client) =>
    Promise.all(
      names.map(async (name) => {
        const handle = client.workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name }));
        await expect
          .poll(async () => await handle.query(view).catch(() => undefined), { timeout: 600_000 })
          .toMatchObject({ shown: { state: 'provisioned' }, waitingFor: 'provisioned as desired' });
      }),
    ),
  );

const reasonsOf = async (name: string): Promise<readonly string[]> => {
  const query = { fieldSelector: `involvedObject.name=${name}` };
  const { items } = (await lab.kube.request({ path: eventCollection(NAMESPACE), query })) as {
    readonly items: readonly { readonly reason: string }[];
  };
  return items.map(({ reason }) => reason);
};

const statesNow = async (): Promise<readonly (string | undefined)[]> =>
  (await Promise.all(names.map((name) => getHost(lab, name)))).map((host) => host?.status.provisioning.state);

/** The number of requests to Ironic that interrupt a running machine, counted by the proxy. */
async function disruptions(): Promise<Record<string, number>> {
  const { provisions } = await recorded(lab);
  return Object.fromEntries(
    ['active', 'deleted', 'provide', 'clean', 'inspect', 'rebuild'].flatMap((target) => {
      const count = Object.values(provisions[target] ?? {}).reduce((sum, each) => sum + each, 0);
      return count === 0 ? [] : [[target, count]];
    }),
  );
}

/** Every host still follows its spec. */
async function allAnswerTo(change: { readonly online: boolean }): Promise<void> {
  await Promise.all(names.map((name) => editHost(lab, name, change)));
  await Promise.all(
    names.map((name) =>
      hostThat(lab, name, `power ${change.online}`, ({ status }) => status.poweredOn === change.online),
    ),
  );
}

describe(`${HOSTS} provisioned hosts`, () => {
  test('go on from their BareMetalHosts when Temporal lost its database', async () => {
    await forgetRecorded(lab);
    await whileDown(lab, ['temporal'], () => removeDatabase(lab, 'temporal'));
    await withTemporal(lab, (client) =>
      Promise.all(
        names.map(async (name) => {
          const handle = client.workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name }));
          await expect
            .poll(async () => (await handle.query(view).catch(() => undefined))?.shown.state, {
              timeout: 600_000,
            })
            .toBe('provisioned');
        }),
      ),
    );
    await allAnswerTo({ online: false });
    expect(new Set(await statesNow())).toEqual(new Set(['provisioned']));
    expect(await disruptions()).toEqual({});
  });

  test('keep what their objects ask for when Temporal is put back to a time when other images were erased', async () => {
    await allAnswerTo({ online: true });
    await Promise.all(names.map((name) => editHost(lab, name, { image: null })));
    await Promise.all(names.map((name) => hostIn(lab, name, 'deprovisioning')));
    await backUp(lab, 'deprovisioning', ['temporal']);
    await Promise.all(names.map((name) => hostIn(lab, name, 'available')));
    const image = { ...lab.endpoints.testImage, url: `${lab.endpoints.testImage.url}?another` };
    await Promise.all(names.map((name) => editHost(lab, name, { image })));
    await Promise.all(names.map((name) => hostIn(lab, name, 'provisioned')));
    await forgetRecorded(lab);

    for (const each of ['bridge', 'workers']) await lab.kill(each, 'SIGKILL');
    await putBack(lab, 'deprovisioning', ['temporal']);
    for (const each of ['bridge', 'workers']) await lab.start(each);

    await allAreSettled();
    expect(await disruptions()).toEqual({});
    for (const name of names) expect(await reasonsOf(name)).toContain('WorkflowBegunAnew');
    const hosts = await Promise.all(names.map((name) => getHost(lab, name)));
    expect(hosts.map((host) => host?.status.provisioning)).toMatchObject(
      names.map(() => ({ state: 'provisioned', image: { url: image.url } })),
    );
    await allAnswerTo({ online: false });
    expect(await disruptions()).toEqual({});
  });

  test('are registered again and adopted when Ironic lost its database', async () => {
    await allAnswerTo({ online: true });
    const before = await idsOf();
    await forgetRecorded(lab);
    await whileDown(lab, ['ironic'], async () => {
      await removeDatabase(lab, 'ironic');
      await copyFile(emptyDatabase(), ironicDatabase());
    });
    const healed = await Promise.all(
      names.map((name) =>
        hostThat(lab, name, 'registered anew', (host) => host.status.provisioning.ID !== before.get(name)),
      ),
    );
    expect(healed.map(({ status }) => status.provisioning.state)).toEqual(names.map(() => 'provisioned'));
    await expect
      .poll(async () => new Set((await nodes()).map((node) => node['provision_state'])), { timeout: 600_000 })
      .toEqual(new Set(['active']));
    // A run that knows nothing of a deployment finds it there.
    expect((await nodes()).map((node) => node['instance_info'])).toEqual(
      healed.map(({ status }): unknown => expect.objectContaining({ image_source: status.provisioning.image?.url })),
    );
    expect(new Set(await portOwners()).size).toBe(HOSTS);
    await allAnswerTo({ online: false });
    expect(new Set(await statesNow())).toEqual(new Set(['provisioned']));
    expect(await disruptions()).toEqual({});
  });

  test('keep what people have approved, and their quarantine, when Temporal lost its database', async () => {
    const [erased = '', kept = ''] = names;
    const { send, waitingFor, told } = steered(() => lab, 'BareMetalHost');
    const annotate = (...changes: readonly string[]): Promise<string> =>
      kubectl(lab, ['annotate', 'bmh', erased, ...changes]);
    await annotate('temper/approval=erase', 'temper/approval-window=0 0 30 2 * 1h');
    await editHost(lab, erased, { image: null });
    const isHeld = (reason: string) => (host: Host) => heldIn(host)?.reason === reason;
    const asked = await hostThat(lab, erased, 'asks for an approval', isHeld('ApprovalNeeded'));
    await send(erased, 'approve', { code: codeIn(heldIn(asked)?.message ?? '') });
    await hostThat(lab, erased, 'waits for its window', isHeld('WindowNeverOpen'));
    await send(kept, 'quarantine');

    await whileDown(lab, ['temporal'], () => removeDatabase(lab, 'temporal'));
    await editHost(lab, kept, { image: null });
    await expect.poll(() => waitingFor(kept).catch(() => ''), { timeout: 600_000 }).toContain('quarantine');
    await annotate('temper/approval-window-');
    await hostIn(lab, erased, 'available');

    expect(await told(erased)).toEqual(['approve ada']);
    expect((await getHost(lab, kept))?.status.provisioning.state).toBe('provisioned');
    await send(kept, 'release');
    await hostIn(lab, kept, 'available');
  });
});

const idOf = (host: Host | undefined): string => host?.status.provisioning.ID ?? '';

async function idsOf(): Promise<ReadonlyMap<string, string>> {
  return new Map(await Promise.all(names.map(async (name) => [name, idOf(await getHost(lab, name))] as const)));
}

async function listed(path: string): Promise<readonly Record<string, unknown>[]> {
  const answer = await fetch(new URL(path, lab.endpoints.ironicDirect), {
    headers: { 'X-OpenStack-Ironic-API-Version': '1.89' },
  });
  const [items] = Object.values((await answer.json()) as Record<string, Record<string, unknown>[]>);
  return items ?? [];
}

const nodes = (): Promise<readonly Record<string, unknown>[]> =>
  listed('nodes?fields=uuid,provision_state,instance_info');

const portOwners = async (): Promise<readonly unknown[]> =>
  (await listed('ports?fields=node_uuid,address')).map((port) => port['node_uuid']);
