import { describe, expect, test } from 'vitest';
import { aHost, CHANCE } from '../../../test/builders/host.ts';
import { fail } from '../outcome/failure.ts';
import { listed, related } from './listed.ts';

const CONSUMER = { kind: 'Metal3Machine', namespace: 'metal', name: 'm3m-1' };
const consumed = (state: 'available' | 'provisioned') => {
  const host = aHost({ state });
  return { ...host, seen: { ...host.seen, spec: { ...host.seen.spec, consumerRef: CONSUMER } } };
};

describe('a host is listed', () => {
  test('by its state', () => {
    expect(listed(aHost({ state: 'available' }))).toEqual({ state: 'available' });
  });

  test('by its error, and as waiting for the next try', () => {
    const failed = fail(aHost({ state: 'registering' }), 'registration error', 'no route', CHANCE);
    expect(listed(failed)).toEqual({ state: 'registering', error: 'registration error', waitsFor: 'retry' });
    expect(listed({ ...failed, retry: { kind: 'on change' } })).toMatchObject({ waitsFor: 'person' });
  });

  test('as waiting for a slot, or for a person', () => {
    const delayed = aHost({ state: 'inspecting' });
    expect(listed({ ...delayed, status: { ...delayed.status, operationalStatus: 'delayed' } })).toMatchObject({
      waitsFor: 'slot',
    });
    expect(listed(aHost({ state: 'unmanaged' }))).toMatchObject({ waitsFor: 'person' });
  });

  test.each(['baremetalhost.metal3.io/paused', 'temper/quarantine', 'temper/abort'])(
    'as waiting for a person while %s holds it, whatever else it would wait for',
    (key) => {
      const held = aHost({ state: 'provisioned', seen: { annotations: { [key]: 'why' } } });
      expect(listed(held)).toMatchObject({ waitsFor: 'person' });
      expect(listed(fail(held, 'registration error', 'no route', CHANCE))).toMatchObject({ waitsFor: 'person' });
      expect(listed({ ...held, consumedAnnotations: [key] })).toEqual({ state: 'provisioned' });
    },
  );

  test('by its consumer, unless it may be released without another state', () => {
    expect(listed(consumed('provisioned'))).toMatchObject({ consumer: 'metal/m3m-1' });
    expect(listed(consumed('available'))).toEqual({ state: 'available' });
  });

  test('with a link to the run of its machine', () => {
    expect(related(consumed('provisioned'))).toEqual([CONSUMER]);
    expect(related(aHost())).toEqual([]);
  });
});
