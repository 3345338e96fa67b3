import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PROVISIONING_STATES } from '../../../api/baremetalhost/values.ts';
import type { SteeringMessage } from '../../steering/messages.ts';
import { type SteeredHost, steeringRefusal } from './refusal.ts';

const NAME = 'node-1';
const ASKED = { by: 'ada', reason: 'the fan is loud' };

/** The messages by the words with which a refusal names them. */
const MESSAGES: Readonly<Record<string, SteeringMessage>> = {
  pause: { name: 'pause', ...ASKED },
  resume: { name: 'resume', ...ASKED },
  retry: { name: 'retry', ...ASKED },
  abort: { name: 'abort', ...ASKED },
  quarantine: { name: 'quarantine', ...ASKED },
  release: { name: 'release', ...ASKED },
  reinspect: { name: 'reinspect', ...ASKED },
  'power on': { name: 'power', to: 'on', ...ASKED },
  'power off': { name: 'power', to: 'off', ...ASKED },
  'power reboot': { name: 'power', to: 'reboot', ...ASKED },
  forceDelete: { name: 'forceDelete', confirm: NAME, ...ASKED },
};
const NAMED = new RegExp(String.raw`\b(?:${Object.keys(MESSAGES).join('|')})\b`, 'g');
/** What a person does without a message, or that there is nothing to do. */
const OTHERWISE = /\b(?:set|change|remove|kubectl|wait|by itself|approve or reject|in its new cluster)\b/;

const annotations = fc
  .record({
    'baremetalhost.metal3.io/paused': fc.option(fc.constantFrom('by ada', 'metal3.io/capm3')),
    'temper/quarantine': fc.option(fc.constant('why')),
    'temper/abort': fc.option(fc.constant('why')),
    'temper/force-delete': fc.option(fc.constant(NAME)),
    'inspect.metal3.io': fc.option(fc.constant('')),
    'reboot.metal3.io': fc.option(fc.constant('')),
    'reboot.metal3.io/disk-change': fc.option(fc.constant('')),
  })
  .map((all) =>
    Object.fromEntries(Object.entries(all).flatMap(([key, value]) => (value === null ? [] : [[key, value]]))),
  );
const host: fc.Arbitrary<SteeredHost> = fc.record({
  name: fc.constant(NAME),
  annotations,
  deletionTimestamp: fc.constantFrom(undefined, '2026-01-01T00:00:00Z'),
  online: fc.boolean(),
  disablePowerOff: fc.boolean(),
  inspectionDisabled: fc.boolean(),
  state: fc.constantFrom(...PROVISIONING_STATES),
  hasError: fc.boolean(),
  machine: fc.constantFrom(undefined, 'worker-1'),
  awaits: fc.constantFrom(undefined, { for: 'approval', code: 'ABCD', does: 'erase it', of: [] } as const),
});

test('each refusal names what makes sense instead, and a message that it names is taken', () => {
  fc.assert(
    fc.property(host, fc.constantFrom(...Object.values(MESSAGES)), (steered, message) => {
      const why = steeringRefusal(steered, message);
      if (why === undefined) return;
      const instead = why.slice(why.indexOf(': '));
      const named = instead.match(NAMED) ?? [];
      expect(named.length > 0 || OTHERWISE.test(instead), why).toBe(true);
      const wrong = named.filter((each) => {
        const offered = MESSAGES[each];
        return offered === undefined || steeringRefusal(steered, offered) !== undefined;
      });
      expect(wrong, why).toEqual([]);
    }),
    { numRuns: 5_000 },
  );
});
