import { afterEach, expect, test } from 'vitest';
import { type OperationResult, resultsValue } from '../../domain/host/results/results.ts';
import { type HistoryEntry, historyValue } from '../../domain/steering/history.ts';
import { KINDS } from '../../kube/kinds.ts';
import { type ListingServer, listingServer } from '../../test/builders/listing-server.ts';
import { requested } from '../command-line.ts';
import { entriesSince, fleetLines } from './fleet.ts';
import { historyCommand } from './options.ts';

let server: ListingServer | undefined;
afterEach(() => server?.close());

const at = (minutes: number): string => `2026-01-01T00:${String(minutes).padStart(2, '0')}:00Z`;
const ended = (what: OperationResult['what'], minutes: number): OperationResult => ({
  what,
  result: 'done',
  end: at(minutes),
});
const asked = (what: string, minutes: number): HistoryEntry => ({ at: at(minutes), what, by: 'ada', reason: 'why' });
const anObject = (
  name: string,
  messages: readonly HistoryEntry[],
  operations: readonly OperationResult[] = [],
  namespace = 'metal',
) => ({
  metadata: {
    namespace,
    name,
    annotations: { 'temper/history': historyValue(messages), 'temper/operations': resultsValue(operations) },
  },
});

test('people, power, registrations and operations of all hosts and machines are one list, the oldest first', async () => {
  server = await listingServer([
    {
      kind: KINDS.host,
      objects: [
        anObject('h1', [asked('power off', 30)], [ended('register', 5), ended('register', 25), ended('power', 31)]),
        anObject('h2', [], [ended('provision', 28)], 'other'),
        anObject('h3', [asked('quarantine', 1)]),
      ],
    },
    { kind: KINDS.metal3Machine, objects: [anObject('m1', [asked('pause', 27)])] },
  ]);
  const looking = { kube: server.kube, namespace: undefined, note: (why: string) => expect.fail(why) };
  const entries = await entriesSince(Date.parse(at(20)), looking);
  expect(fleetLines(entries)).toEqual([
    `${at(25)}  BareMetalHost metal/h1  register: done`,
    `${at(27)}  Metal3Machine metal/m1  pause by ada: why`,
    `${at(28)}  BareMetalHost other/h2  provision: done`,
    `${at(30)}  BareMetalHost metal/h1  power off by ada: why`,
    `${at(31)}  BareMetalHost metal/h1  power: done`,
  ]);
  expect(server.asked).toEqual([
    'baremetalhosts of metadata',
    'baremetalhosts of metadata page 2',
    'metal3machines of metadata',
  ]);
  expect(fleetLines([])).toEqual(['nothing in this time']);
});

test('the command line without an object is about all hosts and machines', () => {
  expect(requested(historyCommand, ['--all-namespaces', '--since', '24h'])).toMatchObject({
    namespace: undefined,
    sinceMs: 86_400_000,
  });
  expect(requested(historyCommand, [])).toMatchObject({ namespace: 'default', sinceMs: 3_600_000 });
  expect(requested(historyCommand, ['--since', 'yesterday'])).toBeUndefined();
  expect(requested(historyCommand, ['host', 'node-1', '--since', '1h'])).toBeUndefined();
  expect(requested(historyCommand, ['host', 'node-1', '-A'])).toBeUndefined();
});
