import { expect, test } from 'vitest';
import { aHost, aNode, CHANCE, IMAGE, NOW, provisionedWith } from '../../test/builders/host.ts';
import { hostEntity } from '../host/entity.ts';
import type { HostMemory } from '../host/memory/memory.ts';
import { fail, park } from '../host/outcome/failure.ts';
import { hostConditions } from '../host/report/conditions.ts';
import { listed } from '../host/report/listed.ts';
import { show } from '../host/report/show.ts';
import { waitingFor } from './waiting.ts';

/** A host that would replace its image, once it has noted what it notes before it waits. */
const replaced = (annotations: Readonly<Record<string, string>>): HostMemory =>
  settled(
    aHost({
      state: 'provisioned',
      status: { provisioning: provisionedWith('http://images/old.raw'), poweredOn: true },
      node: aNode({ state: 'active', poweredOn: true }),
      seen: { spec: { online: true, image: IMAGE }, annotations },
    }),
  );
const registering = aHost({ state: 'registering' });
const inherited = (said: object): Readonly<Record<string, string>> => ({
  'temper/approval-inherited': JSON.stringify([{ of: 'Namespace metal', ...said }]),
});

function settled(host: HostMemory): HostMemory {
  const step = hostEntity.nextStep(host, { now: NOW, shown: show(host) });
  return step.kind === 'note' ? settled(step.memory) : host;
}

test.each<[string, string, HostMemory]>([
  ['person', 'in quarantine', replaced({ 'temper/quarantine': '{"by":"ann","reason":"the fan is loud"}' })],
  ['person', 'that needs an approval', replaced({ 'temper/approval': 'all' })],
  ['window', 'whose window opens', replaced({ 'temper/approval-window': '0 3 * * * 2h' })],
  ['person', 'whose window is never open', replaced({ 'temper/approval-window': '0 3 30 2 * 2h' })],
  ['person', "whose window can't be read", replaced({ 'temper/approval-window': 'soon' })],
  ['person', "that inherits a window that can't be read", replaced(inherited({ window: 'soon' }))],
  [
    'window',
    'whose windows are not open together for years',
    replaced({ 'temper/approval-window': '0 22 * * * 1h', ...inherited({ window: '0 1 * * * 1h' }) }),
  ],
  [
    'budget',
    'that waits for its turn',
    {
      ...aHost({ state: 'available' }),
      awaits: { for: 'budget', code: 'provision-1', does: 'clean its disks', of: ['1 of erase'] },
    },
  ],
  ['person', "whose budget can't be read", replaced({ 'temper/approval-budget': 'many' })],
  ['person', "that inherits a budget that can't be read", replaced(inherited({ budget: 'many' }))],
  ['person', 'with a wrong password', park(registering, 'registration error', 'HTTP 401', NOW)],
  [
    'person',
    'whose Secret is missing',
    park(
      aHost({ state: 'registering', seen: { bmcSecret: { name: 'node-1-bmc', resourceVersion: null } } }),
      'registration error',
      'no Secret',
      NOW,
    ),
  ],
  ['retry', 'that tries again', fail(registering, 'registration error', 'no route', CHANCE)],
  ['person', 'without BMC details', aHost({ state: 'unmanaged' })],
])('a %s: for that waits, by its run and by its object, a host %s', (what, _, memory) => {
  expect(listed(memory).waitsFor).toBe(what);
  const { errorType = '', operationalStatus, provisioning } = memory.status;
  const status = { errorType, operationalStatus, provisioning, conditions: hostConditions(memory) };
  expect(waitingFor({ metadata: memory.seen, status })).toBe(what);
});
