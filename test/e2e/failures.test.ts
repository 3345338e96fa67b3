import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { hostWorkflowId, view } from '../../workflows/messages.ts';
import { atNight } from '../at-night.ts';
import { keepHistories, pendingOf, withTemporal } from './support/histories.ts';
import {
  apply,
  bmcSecret,
  createHost,
  editHost,
  type Host,
  hostIn,
  hostManifest,
  hostThat,
  kubectl,
  NAMESPACE,
  secret,
} from './support/hosts.ts';
import type { TestLab } from './support/lab.ts';
import { askIronic, letFail, machineOf, nodeOf } from './support/metal.ts';
import { loggedAbout } from './support/named-lines.ts';
import { joinLab } from './support/place/join.ts';
import { changedAt, deploysOf } from './support/recorded.ts';
import { type HostSights, watchSights } from './support/watch.ts';

/** Hosts with errors, on real Ironic; the minutes of backoff are those of the contract. */
let lab: TestLab;
let sights: HostSights;
beforeAll(async () => {
  lab = await joinLab({ machines: 9, temperEnv: { IRONIC_SWEEP_INTERVAL: '5s' } });
  sights = watchSights(lab.kube);
});
afterAll(async () => {
  sights?.close();
  await lab?.stop();
});

/** When the host retries, from a query to its workflow. */
const retryAt = (name: string): Promise<number> =>
  withTemporal(lab, async (client) => {
    const shown = await client.workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name })).query(view);
    if (shown?.until === undefined) throw new Error(`${name} is in no backoff`);
    return Date.parse(shown.until);
  });

const conditions = z.array(z.object({ type: z.string(), message: z.string() }));
/** The message of a condition. */
const messageOf = ({ status }: Host, type: string): string =>
  conditions.parse(status['conditions'] ?? []).find((condition) => condition.type === type)?.message ?? '';

describe.concurrent('a host', () => {
  test('with a wrong BMC password says so in Ironic’s words and goes on as soon as the Secret is corrected', async () => {
    const manifest = hostManifest(lab, 0);
    const { name } = manifest.metadata;
    await apply(lab, bmcSecret(lab, name, { password: 'wrong' }), manifest);
    const failed = await hostThat(lab, name, 'refused', ({ status }) => status.errorType === 'registration error');
    expect(failed.status).toMatchObject({
      operationalStatus: 'error',
      errorCount: 1,
      provisioning: { state: 'registering' },
    });
    expect(failed.status.errorMessage).toContain('returned code 401');
    expect(failed.status['goodCredentials']).toEqual({});
    const deadline = await retryAt(name);
    const triesAgainAfter = deadline - Date.now();
    expect(triesAgainAfter).toBeLessThanOrEqual(120_000);

    const corrected = Date.now();
    await apply(lab, bmcSecret(lab, name));
    const healed = await hostThat(
      lab,
      name,
      'registered',
      ({ status }) => status.errorType === '' && status.provisioning.state !== 'registering',
    );
    expect(await changedAt(lab, healed.status.provisioning.ID, corrected)).toBeLessThan(deadline);
    expect(healed.status.operationalStatus).toBe('OK');
    await hostIn(lab, name, 'available');
    await keepHistories(lab, 'wrong-password', name);
  });

  test('without a Secret says so and goes on as soon as there is one', async () => {
    const manifest = hostManifest(lab, 1);
    const { name } = manifest.metadata;
    await apply(lab, manifest);
    const failed = await hostThat(
      lab,
      name,
      'without a Secret',
      ({ status }) => status.errorType === 'registration error',
    );
    expect(failed.status.errorMessage).toBe(
      `BMC CredentialsName secret doesn't exist The BMC secret ${NAMESPACE}/${name}-bmc does not exist`,
    );
    await apply(lab, bmcSecret(lab, name));
    const { status } = await hostIn(lab, name, 'available');
    await keepHistories(lab, 'missing-secret', name);
    // The bridge logs that the node is missing, which the last test reads.
    await askIronic(lab, 'DELETE', `nodes/${status.provisioning.ID}`);
    const isNew = ({ ID }: Host['status']['provisioning']): boolean => ![status.provisioning.ID, ''].includes(ID);
    await hostThat(lab, name, 'registered anew', (host) => isNew(host.status.provisioning));
  });

  test('at a wrong system of its BMC is registered as soon as that is corrected, and Ironic follows its other settings', async ({
    expect,
    skip,
  }) => {
    atNight(skip, 'test/integration/ironic-client.test.ts');
    const { bmc } = hostManifest(lab, 8).spec;
    const wrong = { ...bmc, address: bmc.address.replace(/[^/]*$/, 'unknown') };
    const name = await createHost(lab, 8, { externallyProvisioned: true, bmc: wrong });
    await hostThat(lab, name, 'refused', ({ status }) => status.errorType === 'registration error');
    const deadline = await retryAt(name);
    const corrected = Date.now();
    await editHost(lab, name, { bmc });
    const { status } = await hostIn(lab, name, 'externally provisioned');
    expect(await changedAt(lab, status.provisioning.ID, corrected)).toBeLessThan(deadline);
    const access = async (): Promise<object> => (await nodeOf(lab, name)).driver_info;
    expect(await access()).toMatchObject({ redfish_system_id: new URL(bmc.address).pathname });

    await hostThat(lab, name, 'adopted', (host) => host.status.operationalStatus === 'OK');
    await editHost(lab, name, { bmc: { disableCertificateVerification: true } });
    await expect.poll(access).toHaveProperty('redfish_verify_ca', false);
    await editHost(lab, name, { bmc: { disableCertificateVerification: null } });
    await expect.poll(access).not.toHaveProperty('redfish_verify_ca');
  });

  test('with a Secret that lacks the password says so and continues when it is added', async ({ skip }) => {
    atNight(skip, 'test/integration/kubernetes-activities.test.ts');
    const manifest = hostManifest(lab, 2);
    const { name } = manifest.metadata;
    await apply(lab, bmcSecret(lab, name, { password: '' }), manifest);
    const failed = await hostThat(
      lab,
      name,
      'without a password',
      ({ status }) => status.errorType === 'registration error',
    );
    expect(failed.status.errorMessage).toBe(
      "Validation error with BMC credentials: Missing BMC connection details 'password' in credentials",
    );
    await apply(lab, bmcSecret(lab, name));
    await hostIn(lab, name, 'available');
  });

  test('whose deployment fails tells the reason, is taken down and tried again after its backoff', async ({
    expect,
    skip,
  }) => {
    atNight(skip, 'test/integration/ironic-client.test.ts');
    await letFail(lab, 3, { kind: 'deploy-step', step: 'write_image', message: 'the disk is on fire', times: 1 });
    const name = await createHost(lab, 3, { image: lab.endpoints.testImage });
    const failed = await hostThat(lab, name, 'in error', ({ status }) => status.errorType === 'provisioning error');
    expect(failed.status.errorMessage).toContain('the disk is on fire');
    expect(failed.status.errorMessage).toMatch(/^Image provisioning failed \(url: .*, checksum: .*\): ./);
    const nodeId = failed.status.provisioning.ID;
    expect(messageOf(failed, 'Ready')).toMatch(
      /^provisioning error \(failure 1 of 5 for this image\): Image provisioning failed .*; since \d{4}-\S+Z; next try at \d{4}-.*Z$/s,
    );
    const ofHost = `involvedObject.name=${name},reason=ProvisioningError`;
    const typesOf = ['get', 'events', '-n', NAMESPACE, '--field-selector', ofHost, '-o', 'jsonpath={.items[*].type}'];
    await expect.poll(() => kubectl(lab, typesOf)).toMatch(/^Warning\b/);
    expect((await deploysOf(lab))[nodeId]).toBe(1);
    const deadline = await retryAt(name);

    const again = await hostThat(
      lab,
      name,
      'taken down',
      ({ status }) => status.provisioning.state === 'deprovisioning',
    );
    expect(Date.now()).toBeGreaterThanOrEqual(deadline);
    expect(again.status['provisioningFailCount']).toBe(1);
    expect(messageOf(again, 'Progressing')).toMatch(
      /^removing the image since \d{4}-.*Z after failure 1 of 5 for this image: Image provisioning failed/,
    );
    const done = await hostIn(lab, name, 'provisioned');
    expect(done.status).toMatchObject({ errorCount: 0, errorMessage: '', provisioningFailCount: 0 });
    expect((await deploysOf(lab))[nodeId]).toBe(2);
    await keepHistories(lab, 'failed-deployment', name);
  });

  test('with a wrong checksum is never provisioned', async ({ skip }) => {
    atNight(skip, 'test/integration/ironic-client.test.ts');
    const image = { ...lab.endpoints.testImage, checksum: '0'.repeat(64) };
    const name = await createHost(lab, 4, { image });
    const failed = await hostThat(lab, name, 'in error', ({ status }) => status.errorType === 'provisioning error');
    expect(failed.status.errorMessage).toMatch(/checksum/i);
    expect((await machineOf(lab, 4)).disk).toMatchObject({ image: null });
  });

  test('whose cleaning fails once its image was taken off says so, and is cleaned again after its backoff', async ({
    skip,
  }) => {
    atNight(skip, 'test/integration/ironic-client.test.ts');
    const name = await createHost(lab, 5, { image: lab.endpoints.testImage });
    await hostIn(lab, name, 'provisioned');
    await letFail(lab, 5, { kind: 'clean-step', message: 'the disk is frozen', times: 1 });
    await editHost(lab, name, { image: null });
    const failed = await hostThat(lab, name, 'in error', ({ status }) => status.errorType === 'provisioning error');
    expect(failed.status.errorMessage).toMatch(/^Cleaning failed: .*the disk is frozen/s);
    expect(failed.status).toMatchObject({
      operationalStatus: 'error',
      errorCount: 1,
      provisioning: { state: 'deprovisioning' },
    });
    const deadline = await retryAt(name);
    const cleaned = await hostIn(lab, name, 'available');
    expect(Date.now()).toBeGreaterThanOrEqual(deadline);
    expect(cleaned.status).toMatchObject({ operationalStatus: 'OK', errorMessage: '', errorCount: 0 });
  });

  test('that Ironic can not adopt says why, and is adopted as soon as it can be', async () => {
    // A node with a live ISO is adopted with the ISO, which Ironic does not know.
    const image = { url: lab.endpoints.deployIso, format: 'live-iso' } as const;
    const name = await createHost(lab, 6, { externallyProvisioned: true, image });
    const failed = await hostThat(
      lab,
      name,
      'in error',
      ({ status }) => status.errorType === 'provisioned registration error',
    );
    expect(failed.status.errorMessage).toMatch(/^Host adoption failed: .*adopt node .*instance_info/s);
    expect(failed.status).toMatchObject({
      operationalStatus: 'error',
      errorCount: 1,
      provisioning: { state: 'externally provisioned' },
    });
    const told = [{ op: 'add', path: '/instance_info/boot_iso', value: image.url }];
    await askIronic(lab, 'PATCH', `nodes/${failed.status.provisioning.ID}`, told);
    await editHost(lab, name, { description: 'tried again' });
    const adopted = await hostThat(lab, name, 'adopted', ({ status }) => status.operationalStatus === 'OK');
    expect(adopted.status).toMatchObject({ errorMessage: '', provisioning: { state: 'externally provisioned' } });
    expect(await nodeOf(lab, name)).toMatchObject({ provision_state: 'active' });
  });

  test('whose user data is missing is provisioned once it exists, and never shows an error', async ({ expect }) => {
    const name = await createHost(lab, 7, { image: lab.endpoints.testImage, userData: { name: 'late-user-data' } });
    const deployment = async () => (await pendingOf(lab, name)).find(({ type }) => type === 'deployNode');
    await expect.poll(async () => (await deployment())?.attempt).toBeGreaterThan(2);
    const waited = await hostThat(lab, name, 'saying so', (host) => messageOf(host, 'Ready').includes('last answer'));
    await apply(lab, secret('late-user-data', { userData: '#cloud-config\n' }));
    await hostIn(lab, name, 'provisioned');
    expect(sights.of(name).filter(({ errorType }) => errorType !== '')).toEqual([]);
    expect(messageOf(waited, 'Ready')).toMatch(/deployNode: \d+ attempts since .*last answer: .*late-user-data/);
    expect((await machineOf(lab, 7)).disk).toMatchObject({ configDrive: { userData: '#cloud-config\n' } });
  });
});

test('each line of a log about a host or its node names the host and its uid, and those of the workers the run', async () => {
  const { byBridge, byWorkers, nameless } = await loggedAbout(lab, { namespace: NAMESPACE, ...sights });
  expect(byWorkers).toEqual(expect.arrayContaining(['Ironic accepted a step', 'Activity failed']));
  expect(byBridge).toContain('Ironic node differs from what its host shows');
  expect(nameless).toEqual([]);
});
