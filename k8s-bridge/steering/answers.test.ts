import { describe, expect, test } from 'vitest';
import { codeOf } from '../../domain/steering/code.ts';
import type { SteeringMessage } from '../../domain/steering/messages.ts';
import { KubeError } from '../../kube/client.ts';
import { ASKED, HOST, NOW } from '../../test/builders/steered-object.ts';
import { createSteeringActivities } from './steer-object.ts';

const CODE = codeOf('u', 'provision', {});
const WORDS = 'your user name is system:serviceaccount:temper-system:temper-bridge';

/** What a message is answered when the API server answers the bridge's write with this status. */
const answered = (status: number, message: SteeringMessage, annotations: Readonly<Record<string, string>> = {}) =>
  createSteeringActivities({
    kube: {
      find: () =>
        Promise.resolve({
          metadata: { ...HOST, resourceVersion: '7', annotations },
          spec: { online: true },
          status: { provisioning: { state: 'provisioned' } },
        }),
      patch: () => Promise.reject(new KubeError('PATCH', status, { message: WORDS })),
    },
    announce: () => Promise.reject(new Error('nothing was done')),
    now: () => NOW,
    onAnnotationRefused: () => undefined,
  }).steerHost({
    object: HOST,
    id: 'm1',
    requestedAt: NOW,
    known: {
      state: 'available',
      hasError: false,
      awaits: { for: 'approval', code: CODE, does: 'write an image', of: [] },
    },
    message,
  });

describe('where the bridge may not answer for others', () => {
  test.each([
    ['approve', `temper/approval-rejected- temper/approval-given='${CODE} USER WHY'`],
    ['reject', `temper/approval-given- temper/approval-rejected='${CODE} USER WHY'`],
  ] as const)('a message to %s is refused with the command to use', async (name, changes) => {
    const other = name === 'approve' ? 'temper/approval-rejected' : 'temper/approval-given';
    const annotations = { [other]: `${codeOf('u', 'power-off', {})} bob no` };
    expect(await answered(422, { name, code: CODE, ...ASKED }, annotations)).toEqual({
      kind: 'refused',
      why: `the bridge may not answer for others, so answer with kubectl -n metal annotate --overwrite bmh node-1 ${changes} (${WORDS})`,
    });
  });

  test('what may pass, and other messages, are tried again', async () => {
    await expect(answered(429, { name: 'approve', code: CODE, ...ASKED })).rejects.toThrow('429');
    await expect(answered(422, { name: 'quarantine', ...ASKED })).rejects.toThrow('422');
  });
});
