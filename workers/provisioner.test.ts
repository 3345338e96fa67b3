import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { DEFAULT_IRONIC_SETTINGS } from '../activities/ironic/settings.ts';
import type { Kube } from '../kube/client.ts';
import { KINDS } from '../kube/kinds.ts';
import { collectionPath } from '../kube/paths.ts';
import { readConfig, workersConfig } from '../platform/config/config.ts';
import { anOrder } from '../test/builders/node.ts';
import { objectsInMemory } from '../test/builders/objects-in-memory.ts';
import { openProvisioner, settingsOf } from './provisioner.ts';

const read = (more: object = {}) =>
  settingsOf(readConfig(workersConfig, { IRONIC_ENDPOINT: 'http://ironic:6385/v1/', ...more }));

test('how long a request without an answer is waited for is the operator’s to say', () => {
  expect(read().patience).toEqual(DEFAULT_IRONIC_SETTINGS.patience);
  expect(read({ IRONIC_LONGEST_REQUEST: '5m', IRONIC_LOCK_DEADLINE: '1h' }).patience).toEqual({
    longestRequestMs: 300_000,
    lockDeadlineMs: 3_600_000,
  });
  expect(() => read({ IRONIC_LONGEST_REQUEST: '0s' })).toThrow('IRONIC_LONGEST_REQUEST');
});

test('what is read and written with a place does not wait for the rate limit of the API server', async () => {
  const { kube: stored } = objectsInMemory();
  const host = { namespace: 'metal', name: 'host-1', uid: 'uid-1' };
  const bmc = { address: 'redfish://bmc', credentialsName: 'login' };
  const put = (kind: (typeof KINDS)['host' | 'secret'], body: object): Promise<unknown> =>
    stored.request({ method: 'POST', path: collectionPath(kind, 'metal'), body });
  const shown = { operationalStatus: 'OK', errorMessage: '', errorCount: 0, poweredOn: false };
  const status = { ...shown, provisioning: { state: 'registering', ID: '' } };
  const { apiVersion, kind } = KINDS.host;
  await put(KINDS.host, { apiVersion, kind, metadata: host, spec: { online: true, bmc }, status });
  const data = { username: btoa('admin'), password: btoa('secret') };
  await put(KINDS.secret, { metadata: { namespace: 'metal', name: 'login' }, data });
  const recording = (into: string[]): Kube => {
    const note = (method: string, path: string): unknown =>
      into.push(`${method} ${/namespaces\/[^/]+\/([^/]+)/.exec(path)?.[1]}`);
    return {
      ...stored,
      find: (path) => (note('GET', path), stored.find(path)),
      request: (call) => (note(call.method ?? 'GET', call.path), stored.request(call)),
      patch: (path, body) => (note('PATCH', path), stored.patch(path, body)),
    };
  };
  const [limited, urgent]: [string[], string[]] = [[], []];
  const provisioner = await openProvisioner(readConfig(workersConfig, { PROVISIONER: 'fixture' }), {
    kube: recording(limited),
    urgent: recording(urgent),
    log: { info: () => undefined, warn: () => undefined } as never,
    count: () => undefined,
    onAnswer: () => undefined,
  });
  const { registerNode } = provisioner.activities(() => Promise.resolve());
  const order = { ...anOrder({ host, bmc: { ...bmc, disableCertificateVerification: false } }), nodeId: '' };
  const more = { credentialsChanged: false, credentialsSeen: null, deleting: false, retry: false };
  const answer: unknown = await new MockActivityEnvironment({ startToCloseTimeoutMs: 60_000 }).run(
    registerNode as never,
    { ...order, ...more } as never,
  );
  expect(answer).toMatchObject({ kind: 'registered', node: { state: 'verifying' } });
  const machine = ['GET baremetalhosts', 'POST configmaps', 'GET baremetalhosts', 'PATCH configmaps'];
  expect(urgent).toEqual(machine);
  expect(limited[0]).toBe('GET baremetalhosts');
  expect(limited.filter((request) => /^(?:POST|PATCH) configmaps/.test(request))).toEqual([]);
});
