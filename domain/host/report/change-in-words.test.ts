import { expect, test } from 'vitest';
import { aHost, IMAGE } from '../../../test/builders/host.ts';
import { changeInWords } from './change-in-words.ts';

type Seen = NonNullable<Parameters<typeof aHost>[0]>['seen'];
const PAUSED = { 'baremetalhost.metal3.io/paused': 'x' };

test.each<[string, Seen, Seen]>([
  ['', {}, { resourceVersion: '101', generation: 2 }],
  ['spec.image changed', { spec: { image: IMAGE } }, { spec: { image: { ...IMAGE, url: 'http://images/b.raw' } } }],
  ['spec.online changed, spec.image changed', {}, { spec: { online: true, image: IMAGE } }],
  ['host deleted', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }],
  ['baremetalhost.metal3.io/paused set', {}, { annotations: PAUSED }],
  ['baremetalhost.metal3.io/paused removed', { annotations: PAUSED }, {}],
  ['Secret node-1-bmc changed', {}, { bmcSecret: { name: 'node-1-bmc', resourceVersion: '91' } }],
])('a change is told as %j', (words, before, after) => {
  expect(changeInWords(aHost({ seen: before }), aHost({ seen: after }))).toBe(words);
});
