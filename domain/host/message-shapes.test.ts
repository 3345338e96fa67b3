import { describe, expect, test } from 'vitest';
import type { BareMetalHostSpec } from '../../api/baremetalhost/types.ts';
import type { ProvisioningState } from '../../api/baremetalhost/values.ts';
import { aHost, aSnapshot, IMAGE } from '../../test/builders/host.ts';
import { live } from '../../test/builders/live.ts';
import { observationOf } from '../entity/message-shapes.ts';
import { hostEntity } from './entity.ts';

const GARBAGE: readonly unknown[] = [null, 5, 'x', {}, [null]];
const STATES: readonly ProvisioningState[] = ['registering', 'provisioned'];
/** A spec with something in each field that steps read. */
const FULL: Partial<BareMetalHostSpec> = {
  online: true,
  image: IMAGE,
  rootDeviceHints: { deviceName: '/dev/sda' },
  raid: {
    hardwareRAIDVolumes: [{ level: '1', physicalDisks: ['0'] }],
    softwareRAIDVolumes: [{ level: '1', rootVolume: true, physicalDisks: [{ deviceName: '/dev/sda' }] }],
  },
  firmware: { sriovEnabled: true },
  consumerRef: { kind: 'Metal3Machine', name: 'worker-1', namespace: 'metal' },
  userData: { name: 'user-data' },
  customDeploy: { method: 'install' },
};

type Path = readonly (string | number)[];

function pathsOf(value: unknown, at: Path = []): readonly Path[] {
  const inside =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...at, key]))
      : [];
  return at.length === 0 ? inside : [at, ...inside];
}

/** The value with something else at the path. */
function replaced(value: unknown, [key, ...rest]: Path, other: unknown): unknown {
  if (key === undefined) return other;
  if (Array.isArray(value))
    return value.map((each: unknown, index): unknown => (index === Number(key) ? replaced(each, rest, other) : each));
  const fields = value as Readonly<Record<string, unknown>>;
  return { ...fields, [key]: replaced(fields[key], rest, other) };
}

const refusalOf = (snapshot: unknown): string | undefined =>
  observationOf(hostEntity.snapshot)({ snapshot, order: { epoch: 1, number: 1 } }, 'the message');

describe('a snapshot with garbage in its spec', () => {
  const whole = aSnapshot({ spec: FULL });

  test('is complete without it', () => {
    expect(refusalOf(whole)).toBeUndefined();
  });

  test.each(pathsOf(whole.spec).map((path) => [path.join('.'), path] as const))(
    'at %s is refused, or no later step of the host throws',
    (_, path) => {
      for (const garbage of GARBAGE) {
        const spec = replaced(whole.spec, path, garbage) as BareMetalHostSpec;
        if (refusalOf({ ...whole, spec }) !== undefined) continue;
        for (const state of STATES) {
          const host = aHost({ state, seen: { spec } });
          expect(() => hostEntity.detailsOf(live(host).memory, '')).not.toThrow(TypeError);
        }
      }
    },
  );
});
