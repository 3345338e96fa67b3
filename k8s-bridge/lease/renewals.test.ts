import { pino } from 'pino';
import { expect, test } from 'vitest';
import { readMetadata } from '../../kube/objects/metadata.ts';
import type { Lease } from './lease.ts';
import { createRenewals } from './renewals.ts';

/** As this bridge has renewed it for the n-th time, and as others have written it since. */
const leaseAt = (number: number, version = number): Lease => {
  const annotations = {
    'temper/renewals': JSON.stringify([
      ['another', 7],
      ['this', number],
    ]),
  };
  const metadata = { name: 'lease', uid: 'u', resourceVersion: `${version}`, annotations };
  return { metadata: readMetadata({ metadata }), spec: {} };
};

/** Renewals whose Lease is read from a server that may be set back. */
function renewalsOf(taken?: Lease) {
  const server: { lease: Lease | undefined; error?: Error | undefined } = { lease: taken };
  const lines: string[] = [];
  let [noticed, reads] = [0, 0];
  const renewals = createRenewals({
    identity: 'this',
    ...(taken && { taken }),
    readLease: async () => {
      reads += 1;
      if (server.error !== undefined) throw server.error;
      return server.lease;
    },
    log: pino({}, { write: (line: string) => void lines.push(line) }),
  });
  renewals.onNoticed(() => (noticed += 1));
  return { server, renewals, lines, noticed: () => noticed, reads: () => reads };
}

test.each([
  ['older than the last renewal', leaseAt(98)],
  ['older than the last renewal, although others have renewed it since', leaseAt(104, 500)],
  ['another one', { ...leaseAt(1, 500), metadata: { ...leaseAt(1, 500).metadata, annotations: {} } }],
  ['gone', undefined],
])('a restore of etcd is noticed by a Lease that is %s, once', async (_, restored) => {
  const { server, renewals, noticed } = renewalsOf(leaseAt(99));
  server.lease = leaseAt(105);
  renewals.accepted(leaseAt(105));
  await renewals.look();
  expect(noticed()).toBe(0);

  server.lease = restored;
  await Promise.all([renewals.look(), renewals.read()]);
  await renewals.look();
  expect(noticed()).toBe(1);
});

test('a restore of etcd that others have noticed is not noticed by the Lease again, but the next one is', async () => {
  const { server, renewals, noticed } = renewalsOf(leaseAt(105));
  server.lease = leaseAt(98);
  const looking = renewals.look();
  renewals.noticedByOthers();
  await looking;
  await renewals.look();
  await renewals.read();
  expect(noticed()).toBe(0);

  renewals.accepted(leaseAt(120));
  await renewals.look();
  expect(noticed()).toBe(1);
});

test('a renewal during a look, or one whose acceptance was not heard of, is no restore', async () => {
  const { server, renewals, noticed } = renewalsOf(leaseAt(99));
  const looking = renewals.look();
  renewals.accepted(leaseAt(105));
  await looking;
  server.lease = leaseAt(107);
  await renewals.look();
  expect(noticed()).toBe(0);
});

test('what a look shows is counted from the last renewal that was accepted, until a restore was noticed', async () => {
  const { server, renewals } = renewalsOf(leaseAt(99, 200));
  expect(renewals.renewedAt()).toBe('200');
  renewals.accepted(leaseAt(100, 210));
  expect(renewals.renewedAt()).toBe('210');
  server.lease = leaseAt(98, 190);
  await renewals.look();
  expect(renewals.renewedAt()).toBeUndefined();
});

test('watches that are cut at the same time read the Lease once', async () => {
  const { renewals, reads } = renewalsOf(leaseAt(99));
  await Promise.all([renewals.look(), renewals.look(), renewals.look()]);
  expect(reads()).toBe(1);
  await renewals.look();
  expect(reads()).toBe(2);
});

test('a Lease that can not be read stops no watch, and the log says it once', async () => {
  const { server, renewals, noticed, lines } = renewalsOf(leaseAt(99));
  server.error = new Error('no right to read it');
  await renewals.look();
  await renewals.look();
  expect({ noticed: noticed(), lines }).toEqual({ noticed: 0, lines: [expect.stringContaining('could not be read')] });

  server.error = undefined;
  server.lease = leaseAt(98);
  await renewals.look();
  expect(noticed()).toBe(1);
});

test('without a Lease nothing is noticed, and nothing is read for it', async () => {
  const { renewals, reads } = renewalsOf();
  await renewals.look();
  expect(reads()).toBe(0);
});
