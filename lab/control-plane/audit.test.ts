import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuditedRequest, auditedRequests, auditLogOf } from './audit.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'temper-audit-'));
});
afterAll(() => rm(dir, { recursive: true }));

const USER = 'system:serviceaccount:temper-system:temper-bridge';
const line = (change: object): string =>
  JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    stage: 'ResponseComplete',
    requestURI: '/apis/metal3.io/v1alpha1/namespaces/a/baremetalhosts/one/status?fieldManager=temper',
    verb: 'patch',
    user: { username: USER, groups: ['system:serviceaccounts'] },
    objectRef: {
      apiGroup: 'metal3.io',
      apiVersion: 'v1alpha1',
      resource: 'baremetalhosts',
      subresource: 'status',
      namespace: 'a',
      name: 'one',
    },
    responseStatus: { code: 200 },
    requestReceivedTimestamp: '2026-11-23T00:00:00.000001Z',
    annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
    ...change,
  });

async function read(...lines: readonly string[]): Promise<readonly AuditedRequest[]> {
  const file = join(dir, 'audit.log');
  await writeFile(file, lines.join('\n'));
  const requests: AuditedRequest[] = [];
  for await (const request of auditedRequests(file)) requests.push(request);
  return requests;
}

describe('a request in an audit log', () => {
  test('says who did what to which object, when, and what the answer was', async () => {
    expect(await read(line({}))).toEqual([
      {
        user: USER,
        verb: 'patch',
        path: '/apis/metal3.io/v1alpha1/namespaces/a/baremetalhosts/one/status?fieldManager=temper',
        time: '2026-11-23T00:00:00.000001Z',
        group: 'metal3.io',
        resource: 'baremetalhosts/status',
        namespace: 'a',
        name: 'one',
        code: 200,
        isForbidden: false,
      },
    ]);
  });

  test('says when RBAC has refused it', async () => {
    const annotations = { 'authorization.k8s.io/decision': 'forbid' };
    expect(await read(line({ annotations, responseStatus: { code: 403 } }))).toMatchObject([
      { code: 403, isForbidden: true },
    ]);
  });

  test('that is a watch counts once', async () => {
    const watch = { verb: 'watch', objectRef: { resource: 'secrets', apiVersion: 'v1' } };
    const began = line({ ...watch, stage: 'ResponseStarted' });
    expect(await read(began, line(watch))).toMatchObject([{ verb: 'watch', group: '', resource: 'secrets' }]);
  });

  test('that a killed API server has half written is left out', async () => {
    const half = line({}).slice(0, 100);
    expect(await read(line({ verb: 'get' }), `${half}${line({ verb: 'list' })}`, line({}), half)).toMatchObject([
      { verb: 'get' },
      { verb: 'patch' },
    ]);
  });
});

test('the audit log of a lab is in its folder, or in the folder of the run of tests', () => {
  expect(auditLogOf('/tmp/lab-1', {})).toBe('/tmp/lab-1/logs/kube-apiserver-audit.log');
  expect(auditLogOf('/tmp/lab-1', { TEMPER_AUDIT_FOLDER: '/tmp/run' })).toBe('/tmp/run/lab-1.log');
});
