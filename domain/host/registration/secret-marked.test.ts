import { describe, expect, test } from 'vitest';
import { aHost, aNode, aSnapshot, CHANCE } from '../../../test/builders/host.ts';
import type { HostMemory } from '../memory/memory.ts';
import { absorb } from '../memory/take-in.ts';
import { nextStep } from '../next-step.ts';
import { record } from '../record.ts';
import { withSecretMarked } from './secret-marked.ts';

const NAME = 'node-1-bmc';
const secret = (resourceVersion: string) => ({ name: NAME, resourceVersion });
const marked = (before: string, after: string, name = NAME) => ({ name, before, after });

/** Registered with this version of its Secret. */
function registered(version: string, host = aHost({ state: 'registering' })): HostMemory {
  const step = nextStep(host, CHANCE.now);
  if (step.kind === 'note') return registered(version, step.memory);
  if (step.kind !== 'act' || step.action.name !== 'register') throw new Error(`no registration: ${step.kind}`);
  const told = { created: true, credentialsVersion: version };
  return record(host, step.action, { kind: 'done', node: aNode(), registered: told }, CHANCE);
}
const shows = (memory: HostMemory, version: string): HostMemory =>
  absorb(memory, aSnapshot({ resourceVersion: '500', bmcSecret: secret(version) }));
const asksToRegister = (memory: HostMemory): boolean => {
  const step = nextStep(memory, CHANCE.now);
  return step.kind === 'note' ? asksToRegister(step.memory) : step.kind === 'act' && step.action.name === 'register';
};
const verified = ({ events }: HostMemory): number =>
  events.filter(({ reason }) => reason === 'BMCAccessValidated').length;

describe('a Secret whose labels we change for a machine', () => {
  test('is no other Secret: nothing is registered again, and the access is said to be verified once', () => {
    const before = registered('91');
    expect(verified(before)).toBe(1);
    expect(asksToRegister(shows(before, '92'))).toBe(true);
    const after = shows(withSecretMarked(before, marked('91', '92')), '92');
    expect(asksToRegister(after)).toBe(false);
    expect(after.status.goodCredentials).toEqual({
      credentials: { name: NAME, namespace: 'metal' },
      credentialsVersion: '92',
    });
  });

  test('that a person has changed before is another one', () => {
    const after = shows(withSecretMarked(registered('91'), marked('93', '94')), '94');
    expect(asksToRegister(after)).toBe(true);
    expect(verified(registered('94', after))).toBe(2);
  });

  test('that the host does not name any more changes nothing', () => {
    const before = registered('91');
    expect(withSecretMarked(before, marked('91', '92', 'other'))).toBe(before);
  });
});
