import { describe, expect, test } from 'vitest';
import { KubeError } from '../../kube/client.ts';
import type { Clocks } from './clocks.ts';
import { askingFor, EXEMPT, exempt, type Objection } from './permit.ts';
import { PermitExpired, Withheld } from './withheld.ts';

/** An object, and what is asked of the API server. `duringRead` is called while the object is read. */
function anObject(change: {
  readonly objection?: (object: unknown) => Objection;
  readonly duringRead?: () => void;
  readonly conflicts?: number;
  readonly clocks?: Clocks;
}) {
  const asked: string[] = [];
  let version = 0;
  let conflicts = change.conflicts ?? 0;
  const asking = askingFor({
    kube: {
      find: () => {
        version += 1;
        asked.push(`read ${version}`);
        change.duringRead?.();
        return Promise.resolve({ metadata: { resourceVersion: String(version) } });
      },
      patch: (_, body) => {
        const { metadata } = body as { readonly metadata: { readonly resourceVersion: string } };
        asked.push(`write at ${metadata.resourceVersion}`);
        if (conflicts-- <= 0) return Promise.resolve({});
        return Promise.reject(new KubeError('patching it', 409, { reason: 'Conflict', message: 'changed' }));
      },
    },
    path: '/host',
    uid: 'uid-1',
    annotation: 'mark',
    objection: change.objection ?? (() => undefined),
    earlier: undefined,
    ...(change.clocks && { clocks: change.clocks }),
  });
  return { asking, asked };
}

/** Clocks that stand still unless a test moves them. */
function clocks() {
  const now = { wall: 1_000_000, monotonic: 500 };
  return { now, clocks: { wall: () => now.wall, monotonic: () => now.monotonic } };
}

describe('a permit', () => {
  test('is good for one request', async () => {
    const permit = await anObject({}).asking.permit();
    permit.use();
    expect(() => permit.use()).toThrow(PermitExpired);
  });

  test('is not given when the object does not ask for the request', async () => {
    const { asking, asked } = anObject({ objection: () => ({ reason: 'not asked', message: 'it asks for nothing' }) });
    await expect(asking.permit({ request: 'active', nodeId: 'n' })).rejects.toThrow(Withheld);
    expect(asked).toEqual(['read 1']);
  });

  test('comes with a mark that is written only on the object that was read', async () => {
    const { asking, asked } = anObject({ conflicts: 1 });
    await asking.permit({ request: 'active', nodeId: 'n' });
    expect(asked).toEqual(['read 1', 'write at 1', 'read 2', 'write at 2']);
  });

  test.each<[string, 'wall' | 'monotonic', number]>([
    ['the process was paused', 'wall', 3_001],
    ['the process was suspended with its guest, whose monotonic clock went on', 'monotonic', 3_001],
    ['the wall clock was set back', 'wall', -60_000],
  ])('does not count any more when %s after the read', async (_, clock, ms) => {
    const { now, clocks: both } = clocks();
    const permit = await anObject({ clocks: both }).asking.permit();
    now[clock] += ms;
    expect(() => permit.use()).toThrow(PermitExpired);
  });

  test('does not count when the process was paused while the answer to the read was on its way', async () => {
    const { now, clocks: both } = clocks();
    const duringRead = (): void => void (now.wall += 3_600_000);
    const permit = await anObject({ clocks: both, duringRead }).asking.permit();
    expect(() => permit.use()).toThrow(PermitExpired);
  });

  test('counts a moment later', async () => {
    const { now, clocks: both } = clocks();
    const permit = await anObject({ clocks: both }).asking.permit();
    now.wall += 50;
    now.monotonic += 50;
    expect(() => permit.use()).not.toThrow();
  });
});

test('requests that no object asks for are in one list, each with its reason', () => {
  expect(Object.keys(EXEMPT)).toEqual(['forget a discovered node']);
  expect(() => exempt('forget a discovered node').use()).not.toThrow();
});
