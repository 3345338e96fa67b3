import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { entityWorkflowId } from '../../workflows/messages.ts';
import { serveKinds } from '../builders/throw-away-kinds.ts';
import type { TestFixtureLab } from './support/fixture.ts';
import { keepRuns } from './support/histories.ts';
import { getHost, hostIn, kubectl, NAMESPACE } from './support/hosts.ts';
import { aFreeHostOfItsAddress, joinMachineApiLab, killBoth, specFor } from './support/machine-api.ts';
import {
  type AnyObject,
  create,
  expectGone,
  expectToShow,
  get,
  KINDS,
  list,
  PATIENCE,
  patch,
  remove,
} from './support/machines.ts';
import { blockOf, createShell } from './support/versions/procedure.ts';

/** MachineSets of the Machine API, whose Machines get hosts of the fixture, without a default image. */

const record = recordCommands('test/e2e/machine-sets.test.ts');
let lab: TestFixtureLab;
let folder: string;
/** Of `cluster.k8s.io`, a kind that an API server may have, although Temper has no CRD of it. */
let older: AnyObject;
let run: Awaited<ReturnType<typeof createShell>>;
beforeAll(async () => {
  lab = await joinMachineApiLab({ MACHINE_API: 'all' });
  older = await anOlderSet();
  folder = await mkdtemp(join(tmpdir(), 'temper-machine-sets-'));
  run = record.shell(await createShell(folder, lab.endpoints));
});
afterAll(async () => {
  await lab?.stop();
  await rm(folder, { recursive: true });
});

const DOCUMENTED = fileURLToPath(new URL('../../examples/machine-api-2019.yaml', import.meta.url));
const SCALED = 'metal3.io/autoscale-to-hosts';
const aHost = (name: string): Promise<unknown> => aFreeHostOfItsAddress(lab, name, { labels: { for: 'scaled' } });
const machines = (): Promise<readonly AnyObject[]> => list(lab, 'openShiftMachine');
const expectMachines = (count: number): Promise<void> =>
  expect.poll(async () => (await machines()).length, PATIENCE).toBe(count);

async function anOlderSet(): Promise<AnyObject> {
  await serveKinds(lab.kube, [KINDS.clusterMachineSet]);
  return create(lab, 'clusterMachineSet', 'older', {
    metadata: { annotations: { [SCALED]: '' } },
    spec: {
      replicas: 1,
      selector: { matchLabels: { set: 'older' } },
      template: { metadata: { labels: { set: 'older' } }, spec: specFor('scaled', { userData: {} }) },
    },
  });
}

describe('a MachineSet that is scaled to hosts', () => {
  test('has a Machine for each of them, and then as many as its user says, whatever dies meanwhile', async () => {
    await aHost('scaled-1');
    await aHost('scaled-2');
    // It is adopted.
    await create(lab, 'openShiftMachine', 'early', {
      metadata: { labels: { set: 'scaled' } },
      spec: specFor('scaled', { userData: {} }),
    });
    await create(lab, 'openShiftMachineSet', 'scaled', {
      spec: {
        replicas: 1,
        selector: { matchLabels: { set: 'scaled' } },
        template: { metadata: { labels: { set: 'scaled' } }, spec: specFor('scaled', { userData: {} }) },
      },
    });
    const commands = await blockOf('docs/machine-api.md', 'kubectl get machines.machine.openshift.io -o wide');
    expect(await run(commands, { machine: 'early', machineset: 'scaled' })).toContain('scaled annotated');
    await expect.poll(async () => (await machines()).length, PATIENCE).toBeGreaterThan(1);
    await killBoth(lab);
    await hostIn(lab, 'scaled-1', 'provisioned');
    await hostIn(lab, 'scaled-2', 'provisioned');
    await expectToShow(lab, 'openShiftMachineSet', 'scaled', {
      spec: { replicas: 2 },
      status: { replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 0 },
    });
    await expectMachines(2);

    await aHost('scaled-3');
    await hostIn(lab, 'scaled-3', 'provisioned');
    await expectToShow(lab, 'openShiftMachineSet', 'scaled', { spec: { replicas: 3 }, status: { replicas: 3 } });
    const owners = (await machines()).map(({ metadata }) => metadata['ownerReferences']);
    for (const each of owners) expect(each).toMatchObject([{ kind: 'MachineSet', name: 'scaled', controller: true }]);

    await patch(lab, 'openShiftMachineSet', 'scaled', { metadata: { annotations: { [SCALED]: null } } });
    await kubectl(lab, ['scale', 'machineset.machine.openshift.io/scaled', '--replicas=1']);
    await expectMachines(1);
    await expectToShow(lab, 'openShiftMachineSet', 'scaled', { spec: { replicas: 1 }, status: { replicas: 1 } });

    await remove(lab, 'openShiftMachineSet', 'scaled');
    await expectGone(lab, 'openShiftMachineSet', 'scaled');
    await expectMachines(0);
    for (const name of ['scaled-1', 'scaled-2', 'scaled-3']) {
      await hostIn(lab, name, 'available');
      expect((await getHost(lab, name))?.spec).not.toHaveProperty('consumerRef');
    }
    const id = entityWorkflowId('MachineSet.machine.openshift.io', { namespace: NAMESPACE, name: 'scaled' });
    await keepRuns(lab, 'machine-set', id);
  });
});

/** The bridge and the workers of this file are configured without a default image. */
test('the Machines of the first documents say without a default image what is missing, and get no host', async () => {
  for (const profile of ['master', 'node'])
    await aFreeHostOfItsAddress(lab, profile, { labels: { 'node-profile': profile } });
  await kubectl(lab, ['create', '-n', NAMESPACE, '-f', DOCUMENTED]);
  const made = await list(lab, 'clusterMachine');
  expect(made.map(({ metadata }) => metadata.labels['set'])).toEqual(['master', 'node']);
  for (const { metadata } of made) {
    const message = `BareMetalProviderConfig names no image, and no default is configured: set MACHINE_API_IMAGE_URL and MACHINE_API_IMAGE_CHECKSUM`;
    await expectToShow(lab, 'clusterMachine', metadata.name, {
      status: {
        errorReason: 'InvalidConfiguration',
        errorMessage: message,
        conditions: [{ type: 'AssociateBareMetalHost', status: 'False', message }],
      },
    });
  }
  for (const profile of ['master', 'node'])
    expect((await getHost(lab, profile))?.spec).not.toHaveProperty('consumerRef');
  for (const { metadata } of made) await remove(lab, 'clusterMachine', metadata.name);
  for (const { metadata } of made) await expectGone(lab, 'clusterMachine', metadata.name);
});

/** It was there during the stories above, and selects the same hosts. */
test('a MachineSet of cluster.k8s.io stays as it was created', async () => {
  expect(await get(lab, 'clusterMachineSet', 'older')).toEqual(older);
  expect(await list(lab, 'clusterMachine')).toEqual([]);
});
