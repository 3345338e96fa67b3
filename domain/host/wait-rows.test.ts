import { expect, test } from 'vitest';
import { aHost, aNode, IMAGE, NOW, provisionedWith } from '../../test/builders/host.ts';
import { waitOfRow } from '../entity/status-row.ts';
import { hostEntity } from './entity.ts';
import type { HostMemory } from './memory/memory.ts';
import { park } from './outcome/failure.ts';
import { show } from './report/show.ts';

/** A server that runs an image which its host no longer asks for. */
const REPLACED = {
  state: 'provisioned',
  status: { provisioning: provisionedWith('http://images/old.raw'), poweredOn: true },
  node: aNode({ state: 'active', poweredOn: true }),
} as const;
const spec = { online: true, image: IMAGE };
const quarantine = { 'temper/quarantine': '{"by":"ann","reason":"the fan is loud"}' };
const bmc = { address: '', credentialsName: '' };

/** The row of the wait that the host is in, once it has noted what it notes first. */
function rowOf(host: HostMemory, now: number): string {
  const step = hostEntity.nextStep(host, { now, shown: show(host) });
  if (step.kind === 'note') return rowOf(step.memory, now);
  if (step.kind !== 'wait') throw new Error(`it should wait, not ${step.kind}`);
  return waitOfRow(step, hostEntity.listed?.(host).waitsFor);
}

test.each<[string, HostMemory, string]>([
  ['in quarantine', aHost({ ...REPLACED, seen: { spec, annotations: quarantine } }), 'in quarantine, by ann'],
  [
    'that needs an approval',
    aHost({ ...REPLACED, seen: { spec, annotations: { 'temper/approval': 'all' } } }),
    'waiting for approval to power it off, remove image',
  ],
  [
    'whose window is never open',
    aHost({ ...REPLACED, seen: { spec, annotations: { 'temper/approval-window': '0 3 30 2 * 2h' } } }),
    'waiting for a window to ',
  ],
  [
    "whose budget can't be read",
    aHost({ ...REPLACED, seen: { spec, annotations: { 'temper/approval-budget': 'many' } } }),
    "waiting for a budget that can't be read",
  ],
  [
    'with a wrong password',
    park(aHost({ state: 'registering' }), 'registration error', 'HTTP 401', NOW),
    'registration error: HTTP 401',
  ],
  [
    'without BMC details',
    aHost({ state: 'unmanaged', status: { operationalStatus: 'discovered' }, seen: { spec: { bmc } } }),
    'waiting for BMC details',
  ],
])('a host %s has a row for its wait, which is the same an hour later', (_, host, words) => {
  expect(rowOf(host, NOW)).toContain(words);
  expect(rowOf(host, NOW + 3_600_000)).toBe(rowOf(host, NOW));
});

test('a host whose window opens at a known time has a timer instead, and one at rest has nothing', () => {
  const annotations = { 'temper/approval-window': '0 3 * * * 2h' };
  expect(rowOf(aHost({ ...REPLACED, seen: { spec, annotations } }), NOW)).toBe('');
  expect(rowOf(aHost({ ...REPLACED, seen: { spec: { ...spec, image: { url: 'http://images/old.raw' } } } }), NOW)).toBe(
    '',
  );
});
