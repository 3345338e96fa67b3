import { describe, expect, test } from 'vitest';
import { untrueIn } from './untrue.ts';

const AT = '2026-01-01T00:00:00Z';
const condition = (type: string) => ({ type, status: 'True', reason: 'Because', message: '', lastTransitionTime: AT });

interface Wish {
  readonly url?: string;
  readonly online?: boolean;
  readonly conditions?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What is untrue of a provisioned host at rest that is on with the image `a`. */
const untrueOf = ({ url = 'a', online = true, conditions = [], annotations = {} }: Wish): readonly string[] =>
  untrueIn([
    {
      at: 1,
      kind: 'BareMetalHost',
      name: 'host-1',
      object: {
        metadata: { name: 'host-1', uid: 'u-1', resourceVersion: '1', generation: 2, annotations },
        spec: { online, image: { url } },
        status: {
          operationalStatus: 'OK',
          poweredOn: true,
          provisioning: { state: 'provisioned', image: { url: 'a' } },
          conditions: ['Ready', ...conditions].map(condition),
        },
      } as never,
    },
  ]);

describe('a host that holds work', () => {
  test.each<[string, Wish]>([
    ['a step that is held', { conditions: ['StepHeld'] }],
    ['a quarantine', { annotations: { 'temper/quarantine': 'x' } }],
    ['a step that was ended', { annotations: { 'temper/abort': 'x' } }],
  ])('because of %s is not Current with another image or power', (_, hold) => {
    expect(untrueOf(hold)).toEqual([]);
    expect(untrueOf({ ...hold, url: 'b' })).toEqual(['host-1: Current while it holds another image']);
    expect(untrueOf({ ...hold, online: false })).toEqual(['host-1: Current while it holds another power']);
    expect(untrueOf({ ...hold, url: 'b', conditions: ['Reconciling', ...(hold.conditions ?? [])] })).toEqual([]);
  });
});
