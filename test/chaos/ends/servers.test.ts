import { describe, expect, test } from 'vitest';
import type { HostNow } from './objects.ts';
import { type ServerNow, unlikeHost } from './servers.ts';

/** The end of a campaign finds servers that are not as their hosts say. */
const aHost = (spec: Partial<HostNow['spec']>, state: string): HostNow => ({
  metadata: { name: 'a', namespace: 'n', annotations: {} } as unknown as HostNow['metadata'],
  spec: { online: true, externallyProvisioned: false, ...spec },
  status: {
    errorType: '',
    errorMessage: '',
    operationalStatus: 'OK',
    poweredOn: true,
    provisioning: { state, ID: 'node-a' },
  },
});
const problems = (host: HostNow, server: Partial<ServerNow>): readonly string[] =>
  unlikeHost(host, [{ id: 'node-a', host: 'a', state: 'active', image: '', ...server }], {
    undone: () => undefined,
  }).map(({ what }) => what);

describe('the server of an externally provisioned host', () => {
  const external = aHost({ externallyProvisioned: true, image: { url: 'x' } }, 'externally provisioned');

  test('is in use and has no image of ours', () => {
    expect(problems(external, {})).toEqual([]);
  });

  test.each<Partial<ServerNow>>([
    { state: 'available' },
    { state: 'manageable' },
    { state: 'cleaning' },
    { image: 'x' },
  ])('is found when it is %o', (server) => {
    expect(problems(external, server)).toHaveLength(1);
  });
});

describe('the server of a host with an image', () => {
  const host = aHost({ image: { url: 'x' } }, 'provisioned');

  test('is found when it is free or has another image', () => {
    expect(problems(host, { image: 'x' })).toEqual([]);
    expect(problems(host, { image: 'y' })).toHaveLength(1);
    expect(problems(host, { state: 'available', image: 'x' })).toHaveLength(1);
  });
});

test('the server of a host without an image is found when it is in use', () => {
  expect(problems(aHost({}, 'available'), { state: 'available' })).toEqual([]);
  expect(problems(aHost({}, 'available'), {})).toHaveLength(1);
});
