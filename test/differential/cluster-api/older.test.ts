import { expect, test } from 'vitest';
import type { Convertible } from '../../../domain/conversion/convertible.ts';
import { convertTo } from '../../../domain/convert.ts';
import type { Json } from '../../../kube/merge-patch.ts';
import { apiOf } from './kinds.ts';
import { asOlder, changedAsOlder, hasOlder, isToldInOlder, OTHERWISE_IN_OLDER } from './older.ts';
import { readStories } from './story.ts';

const stories = readStories('cluster-api-provider-metal3');
const created = stories.flatMap(({ story, steps }) =>
  steps.flatMap((writes = []) =>
    writes.flatMap((order) => {
      if (!('create' in order) || !hasOlder(order.create.kind)) return [];
      const { kind, apiVersion } = apiOf(order.create.kind);
      const { name } = order.create;
      return [{ story, kind, name, body: { apiVersion, kind, metadata: { name }, spec: order.spec ?? {} } }];
    }),
  ),
);
const stored = (older: Json): Json =>
  convertTo('infrastructure.cluster.x-k8s.io/v1beta2', older as unknown as Convertible) as unknown as Json;

test('stories of machines are told in v1beta1, those of addresses have one version', () => {
  expect(stories.filter(isToldInOlder).length).toBeGreaterThan(40);
  expect(readStories('ip-address-manager').some(isToldInOlder)).toBe(false);
});

test('what these stories create in v1beta1 is stored as it is in the story', () => {
  const told = new Set(stories.filter(isToldInOlder).map(({ story }) => story));
  for (const { story, name, body } of created.filter((each) => told.has(each.story))) {
    const older = asOlder(body);
    expect(older['apiVersion']).toBe('infrastructure.cluster.x-k8s.io/v1beta1');
    expect(stored(older)['spec'], `${story}: ${name}`).toEqual(body.spec);
  }
});

test('those that are left out by name exist', () => {
  const titles = stories.map(({ story }) => story);
  expect(OTHERWISE_IN_OLDER.filter((title) => !titles.includes(title))).toEqual([]);
});

test('a change of an object that was read in v1beta1 is that of the stored one, and keeps what the server has added', () => {
  const spec = { image: { url: 'http://images.test/a.raw', checksum: 'abc', checksumType: 'md5' } };
  const { apiVersion, kind } = apiOf('Metal3Machine');
  const body = { apiVersion, kind, metadata: { name: 'm-1' }, spec };
  const read = convertTo('infrastructure.cluster.x-k8s.io/v1beta1', body) as unknown as Json;
  const changed = changedAsOlder(read, { metadata: { labels: { a: 'b' } }, spec: { providerID: 'metal3://x' } });
  expect(changed['metadata']).toEqual({ ...(read['metadata'] as object), labels: { a: 'b' } });
  expect(stored(changed)['spec']).toEqual({ ...body.spec, providerID: 'metal3://x' });
});
