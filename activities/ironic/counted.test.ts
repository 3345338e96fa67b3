import { CancelledFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import type { IronicActivities } from './activities.ts';
import { IronicError, type IronicErrorType, nodeBusy } from './client/errors.ts';
import { counted } from './counted.ts';

/** The measurements when these activities, which all throw this error, are called once. */
async function countsOf(error: Error, name: 'registerNode' | 'deployNode'): Promise<readonly string[]> {
  const counts: string[] = [];
  const broken = { [name]: () => Promise.reject(error) } as unknown as IronicActivities;
  const activity = counted(broken, (measurement) => void counts.push(measurement.name))[name];
  await expect(activity({} as never)).rejects.toBe(error);
  return counts;
}
const ironicError = (type: IronicErrorType): IronicError => new IronicError({ type, message: type });

test.each(['IronicUnreachable', 'IronicUnusable'] as const)(
  '%s counts as a provisioner that is not ready',
  async (type) => {
    for (const name of ['registerNode', 'deployNode'] as const) {
      expect(await countsOf(ironicError(type), name)).toEqual(['metal3_provisioner_not_ready_total']);
    }
  },
);

test('of a request that Ironic did not answer, the poller is told', async () => {
  const told: string[] = [];
  for (const type of ['IronicUnreachable', 'IronicBroken'] as const) {
    const broken = { setPower: () => Promise.reject(ironicError(type)) } as unknown as IronicActivities;
    const { setPower } = counted(
      broken,
      () => undefined,
      () => void told.push(type),
    );
    await expect(setPower({} as never)).rejects.toThrow(type);
  }
  expect(told).toEqual(['IronicUnreachable']);
});

test('a registration that breaks off for another reason counts as no access to the BMC, anything else as nothing', async () => {
  expect(await countsOf(ironicError('IronicBroken'), 'registerNode')).toEqual([
    'metal3_credentials_no_management_access_total',
  ]);
  expect(await countsOf(ironicError('IronicBroken'), 'deployNode')).toEqual([]);
});

test('an Ironic that has no hands free counts as no access, too', async () => {
  const error = new IronicError({ type: 'IronicBusy', message: 'no free workers', status: 503 });
  expect(await countsOf(error, 'registerNode')).toEqual(['metal3_credentials_no_management_access_total']);
});

test.each([
  ['that nobody wants any more', new CancelledFailure('changed its mind')],
  ['of a node that is locked', new IronicError({ type: 'IronicBusy', message: 'locked', status: 409 })],
  ['of a node that is at something else', nodeBusy('n', 'register', 'it is cleaned')],
  ['whose Secret could not be read, which is counted where it is read', new Error('the API server is away')],
])('a registration %s counts as nothing', async (_, error) => {
  expect(await countsOf(error, 'registerNode')).toEqual([]);
});
