import { describe, expect, test } from 'vitest';
import { aHost, aSnapshot } from '../../../test/builders/host.ts';
import { nextStep } from '../next-step.ts';
import { absorb } from './take-in.ts';

const SIGNED = { url: 'https://images/a?sig=canary', checksum: 'https://images/SUMS?sig=canary' };
const SEALED = {
  url: `https://images/a?hidden=${'1'.repeat(32)}`,
  checksum: `https://images/SUMS?hidden=${'2'.repeat(32)}`,
};
const NOW = Date.parse('2026-01-01T00:00:00Z');

/** Provisioned by a version that did not seal URLs. */
const old = aHost({
  state: 'provisioned',
  seen: { spec: { online: true, image: SIGNED } },
  status: {
    poweredOn: true,
    lastAttemptedImage: SIGNED,
    provisioning: { state: 'provisioned', ID: '1', image: SIGNED },
  },
  attempted: { url: SIGNED.url },
});
const after = (image: object | undefined) =>
  absorb(
    old,
    aSnapshot({ resourceVersion: '101', spec: { online: true, ...(image && { image: image as typeof SIGNED }) } }),
  );
const isErased = (memory: typeof old): boolean => {
  const step = nextStep(memory, NOW);
  return step.kind === 'become' && step.memory.status.provisioning.state === 'deprovisioning';
};

describe('a host that was provisioned before URLs were sealed', () => {
  test('keeps its image, and forgets the secrets in its URLs', () => {
    const memory = after(SEALED);
    expect(JSON.stringify(memory)).not.toContain('canary');
    expect(memory.status.provisioning.image).toEqual(SEALED);
    expect(isErased(memory)).toBe(false);
    const resigned = absorb(
      memory,
      aSnapshot({ spec: { online: true, image: { ...SEALED, url: SEALED.url.replace(/1$/, '3') } } }),
    );
    expect(isErased(resigned)).toBe(true);
  });

  test('is compared without them as long as it has not seen a sealed one', () => {
    expect(isErased({ ...old, seen: { ...old.seen, spec: { ...old.seen.spec, image: SEALED } } })).toBe(false);
    expect(isErased(after(SIGNED))).toBe(false);
    expect(after(SIGNED).status).toBe(old.status);
  });

  test.each([
    ['another image', { url: 'https://images/b', checksum: 'abc' }],
    ['the same file without a signature', { url: 'https://images/a', checksum: 'abc' }],
    ['none', undefined],
  ])('is erased when %s is wanted', (_, image) => {
    const memory = after(image);
    expect(isErased(memory)).toBe(true);
    expect(JSON.stringify(memory)).not.toContain('canary');
  });
});
