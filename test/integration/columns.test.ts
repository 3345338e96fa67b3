import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { connectKube } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { collectionPath, hostPath, objectPath } from '../../kube/paths.ts';
import { kubectl } from '../e2e/support/hosts.ts';

const COLUMNS = fileURLToPath(new URL('../../examples/columns/2019.txt', import.meta.url));
const MACHINE_SETS = fileURLToPath(
  new URL('../../crds/machine-api/machine.openshift.io_machinesets.yaml', import.meta.url),
);

const cluster = { kube: connectKube(inject('kubeconfig')), endpoints: { kubeconfig: inject('kubeconfig') } };
const namespace = `columns-${randomBytes(4).toString('hex')}`;
const namespacePath = '/api/v1/namespaces';

beforeAll(async () => {
  await cluster.kube.request({ method: 'POST', path: namespacePath, body: { metadata: { name: namespace } } });
});
afterAll(async () => {
  await cluster.kube.request({ method: 'DELETE', path: `${namespacePath}/${namespace}` });
  await cluster.kube.close();
});

/** A table that kubectl printed, by lines. */
const cells = (printed: string): readonly (readonly string[])[] =>
  printed.split('\n').map((line) => line.trimEnd().split(/\s{2,}/));

describe('the columns of 2019', () => {
  /** A host as it is after it was claimed and its workflow has written its status. */
  async function create(name: string, online: boolean, status: object): Promise<void> {
    const spec = {
      online,
      bmc: { address: `ipmi://${name}.bmc`, credentialsName: `${name}-bmc` },
      consumerRef: { kind: 'Machine', name: `${name}.example.com`, namespace },
    };
    const manifest = { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', metadata: { name }, spec };
    await cluster.kube.request({
      method: 'POST',
      path: hostPath({ namespace, name: '' }).slice(0, -1),
      body: manifest,
    });
    const counts = { errorCount: 0, provisioningFailCount: 0, poweredOn: online };
    await cluster.kube.patch(`${hostPath({ namespace, name })}/status`, { status: { ...counts, ...status } });
  }

  test('show a host as the documents of then do', async () => {
    await create('node-0', true, {
      operationalStatus: 'OK',
      errorMessage: '',
      hardwareProfile: 'unknown',
      provisioning: { ID: '1', state: 'provisioned' },
    });
    await create('node-1', false, {
      operationalStatus: 'error',
      errorMessage: 'no login',
      hardwareProfile: 'libvirt',
      provisioning: { ID: '2', state: 'externally provisioned' },
    });

    const args = ['get', 'bmh', '--namespace', namespace, '-o', `custom-columns-file=${COLUMNS}`];
    expect(cells(await kubectl(cluster, args))).toEqual([
      ['NAME', 'STATUS', 'PROVISIONING_STATUS', 'MACHINE', 'BMC', 'HARDWARE_PROFILE', 'ONLINE', 'ERROR'],
      ['node-0', 'OK', 'provisioned', 'node-0.example.com', 'ipmi://node-0.bmc', 'unknown', 'true'],
      [
        'node-1',
        'error',
        'externally provisioned',
        'node-1.example.com',
        'ipmi://node-1.bmc',
        'libvirt',
        'false',
        'no login',
      ],
    ]);
  });
});

test('the column Paused shows the value of the annotation that pauses a host', async () => {
  const metadata = { name: 'paused', annotations: { 'baremetalhost.metal3.io/paused': 'metal3.io/capm3' } };
  const body = { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', metadata, spec: { online: true } };
  await cluster.kube.request({ method: 'POST', path: collectionPath(KINDS.host, namespace), body });
  const [heads = [], values = []] = cells(
    await kubectl(cluster, ['get', 'bmh', 'paused', '--namespace', namespace, '-o', 'wide']),
  );
  expect([heads.at(-1), values.at(-1)]).toEqual(['PAUSED', 'metal3.io/capm3']);
});

describe('the columns of OpenShift', () => {
  test('show how many Machines a MachineSet wants, and how many it has', async () => {
    await kubectl(cluster, ['apply', '-f', MACHINE_SETS]);
    await kubectl(cluster, ['wait', '--for=condition=Established', '--timeout=600s', '-f', MACHINE_SETS]);
    const { apiVersion, apiKind } = KINDS.openShiftMachineSet;
    const body = { apiVersion, kind: apiKind, metadata: { name: 'set' }, spec: { replicas: 4, selector: {} } };
    await cluster.kube.request({ method: 'POST', path: collectionPath(KINDS.openShiftMachineSet, namespace), body });
    await cluster.kube.patch(`${objectPath(KINDS.openShiftMachineSet, { namespace, name: 'set' })}/status`, {
      status: { replicas: 3, readyReplicas: 2, availableReplicas: 1 },
    });

    const args = ['get', 'machinesets.machine.openshift.io', '--namespace', namespace, '-o', 'wide'];
    expect(cells(await kubectl(cluster, args))).toEqual([
      ['NAME', 'DESIRED', 'CURRENT', 'READY', 'AVAILABLE', 'AGE'],
      ['set', '4', '3', '2', '1', expect.stringMatching(/^\d+[smh]/) as unknown],
    ]);
  });
});
