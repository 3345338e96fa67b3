import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { imageInfo } from '../../domain/ironic/deployment/image.ts';
import { disruptionsByNode } from './support/as-asked.ts';
import { keepHistories } from './support/histories.ts';
import { availability, createHost, hostIn, hostThat, kubectl } from './support/hosts.ts';
import type { TestLab } from './support/lab.ts';
import { askIronic, powerOf, switchMachine } from './support/metal.ts';
import { joinLab } from './support/place/join.ts';
import { causesOf } from './support/reader.ts';
import { deploysOf, forgetRecorded } from './support/recorded.ts';
import { seenOff } from './support/watch.ts';

/** Changes made outside of Temper to parked hosts are noticed and corrected. */
let lab: TestLab;
beforeAll(async () => {
  lab = await joinLab({ machines: 3, temperEnv: { IRONIC_SWEEP_INTERVAL: '1s' } });
});
afterAll(() => lab?.stop());

const provisioned = async (index: number): Promise<string> => {
  const name = await createHost(lab, index, { image: lab.endpoints.testImage });
  await hostThat(
    lab,
    name,
    'provisioned and on',
    (host) => host.status.provisioning.state === 'provisioned' && host.status.poweredOn,
  );
  return name;
};

describe('a provisioned host', () => {
  test('whose machine was switched off at its BMC shows it and is switched on again', async () => {
    const name = await provisioned(0);
    await seenOff(lab.kube, name, () => switchMachine(lab, 0, 'ForceOff'));
    const on = await hostThat(lab, name, 'on', ({ status }) => status.poweredOn);
    expect(on.status).toMatchObject({ operationalStatus: 'OK', errorCount: 0, provisioning: { state: 'provisioned' } });
    expect(await powerOf(lab, 0)).toBe('On');
    const jsonpath = 'jsonpath={range .items[*]}{.type} {.reason}: {.message}{"\\n"}{end}';
    const events = await kubectl(lab, [
      'get',
      'events',
      '--field-selector',
      `involvedObject.name=${name}`,
      '-o',
      jsonpath,
    ]);
    expect(events).toContain('Warning PowerDrift: The server was found off although spec.online is true');
    expect(events).toContain('Normal PowerOn: Host powered on');
    await keepHistories(lab, 'switched-off', name);
  });

  test('whose node was deleted from Ironic is registered and adopted again, without being deployed', async () => {
    const name = await provisioned(1);
    const { status } = await hostIn(lab, name, 'provisioned');
    await forgetRecorded(lab);
    await askIronic(lab, 'PUT', `nodes/${status.provisioning.ID}/maintenance`, { reason: 'so that it can be deleted' });
    await askIronic(lab, 'DELETE', `nodes/${status.provisioning.ID}`);
    const again = await hostThat(
      lab,
      name,
      'registered anew',
      (host) => host.status.provisioning.ID !== status.provisioning.ID && host.status.provisioning.ID !== '',
    );
    expect(again.status.provisioning).toMatchObject({ state: 'provisioned', image: lab.endpoints.testImage });
    await until('its node is in use', async () => (await stateOf(again.status.provisioning.ID)) === 'active');
    expect(await deploysOf(lab)).toEqual({});
    await keepHistories(lab, 'node-deleted', name);
  });
});

describe('a free host', () => {
  test('whose node somebody deploys in Ironic directly says so and is left alone, until that is undeployed', async () => {
    const name = await createHost(lab, 2);
    const { status } = await hostIn(lab, name, 'available');
    const node = status.provisioning.ID;
    await forgetRecorded(lab);
    const info = imageInfo({ image: lab.endpoints.testImage });
    const patch = Object.entries(info).map(([key, value]) => ({ op: 'add', path: `/instance_info/${key}`, value }));
    // Temper cleans a node only before it deploys it.
    await askIronic(lab, 'PUT', `nodes/${node}/states/provision`, { target: 'provide' });
    await until('it is available', async () => (await stateOf(node)) === 'available');
    await askIronic(lab, 'PATCH', `nodes/${node}`, patch);
    await askIronic(lab, 'PUT', `nodes/${node}/states/provision`, { target: 'active' });

    const shown = await hostThat(lab, name, 'occupied', (host) => availability(host)?.reason === 'NodeOccupied');
    expect(shown.status).toMatchObject({ operationalStatus: 'error', provisioning: { state: 'available' } });
    const reader = { kube: lab.kube, kubeconfig: lab.endpoints.kubeconfig };
    expect(await causesOf(reader, 'host', name)).toContain('node-occupied');
    await until('it is deployed', async () => (await stateOf(node)) === 'active');
    expect(await disruptionsByNode(lab)).toEqual({});
    expect(await powerOf(lab, 2)).toBe('On');

    await askIronic(lab, 'PUT', `nodes/${node}/states/provision`, { target: 'deleted' });
    const free = await hostThat(lab, name, 'free', (host) => availability(host)?.status === 'True');
    expect(free.status).toMatchObject({ operationalStatus: 'OK', errorMessage: '' });
    await keepHistories(lab, 'node-occupied', name);
  });
});

async function stateOf(node: string): Promise<string> {
  const answer = await fetch(`${lab.endpoints.ironicDirect}nodes/${node}?fields=provision_state`, {
    headers: { 'X-OpenStack-Ironic-API-Version': '1.89' },
  });
  return ((await answer.json()) as { readonly provision_state?: string }).provision_state ?? '';
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 600_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`it never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
