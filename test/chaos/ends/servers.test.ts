import { describe, expect, test } from 'vitest';
import type { Happening } from '../happenings.ts';
import type { HostNow } from './objects.ts';
import { createRestores } from './restores.ts';
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
const aServer = (server: Partial<ServerNow>): ServerNow => ({
  id: 'node-a',
  host: 'a',
  state: 'active',
  image: '',
  ...server,
});
const problems = (
  host: HostNow,
  server: Partial<ServerNow>,
  on: 'fixture' | 'ironic' = 'fixture',
  ...happenings: readonly Untimed[]
): readonly string[] => {
  const restores = createRestores(on);
  for (const [at, one] of happenings.entries()) restores.take({ ...one, at: at * 1_000 } as Happening);
  return unlikeHost(host, [aServer(server)], restores).map(({ what }) => what);
};

type Untimed = Happening extends infer One ? (One extends Happening ? Omit<One, 'at'> : never) : never;
const told = (request: 'deploy' | 'erase'): Untimed => ({ kind: 'told', told: { request, server: 'a', host: 'a' } });
const etcdFrom = (from: number): Untimed => ({ kind: 'journal', entry: { kind: 'etcd restored', from } });
/** Ironic is put back, and takes the server for one with this image. */
const ironicSays = (record: Partial<ServerNow>): Untimed => ({
  kind: 'journal',
  entry: { kind: 'ironic put back', from: 0, nodes: [aServer(record)] },
});

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

describe('the server of a host with an image, after Ironic was put back,', () => {
  const host = aHost({ image: { url: 'x' } }, 'provisioned');
  const earlier = { state: 'active', image: 'w' };

  test('is right with the image of the earlier time in Ironic when that of the host is on its disk', () => {
    expect(problems(host, { ...earlier, disk: 'x' }, 'ironic', ironicSays(earlier))).toEqual([]);
  });

  test.each<readonly [string, Partial<ServerNow>, readonly Untimed[]]>([
    ['has something else on its disk', { ...earlier, disk: 'w' }, [ironicSays(earlier)]],
    ['has nothing on its disk', { ...earlier, disk: '' }, [ironicSays(earlier)]],
    ['was told something since', { ...earlier, disk: 'x' }, [ironicSays(earlier), told('deploy')]],
    ['is not as the copy says', { ...earlier, disk: 'x' }, [ironicSays({ ...earlier, image: 'v' })]],
    ['is not in use', { state: 'available', disk: 'x' }, [ironicSays({ state: 'available' })]],
    ['is another node', { ...earlier, disk: 'x' }, [ironicSays({ ...earlier, id: 'node-b' })]],
    ['was not put back', { ...earlier, disk: 'x' }, []],
  ])('is found when it %s', (_, server, happenings) => {
    expect(problems(host, server, 'ironic', ...happenings)).toHaveLength(1);
  });

  test('is found when Ironic takes it for deployed, and its host has no image', () => {
    expect(problems(aHost({}, 'available'), { ...earlier, disk: '' }, 'ironic', ironicSays(earlier))).toHaveLength(1);
  });
});

describe('the disk of a server', () => {
  const host = aHost({ image: { url: 'x' } }, 'provisioned');

  test('is found when it is not as its host says, although Ironic is', () => {
    expect(problems(host, { image: 'x', disk: 'x' }, 'ironic')).toEqual([]);
    expect(problems(host, { image: 'x', disk: 'y' }, 'ironic')).toEqual(["its disk has 'y' instead of 'x'"]);
    expect(problems(host, { image: 'x', disk: '' }, 'ironic', told('deploy'), ironicSays({}))).toHaveLength(1);
  });

  test('is right when restored objects do not know what the server was told, until it is told something', () => {
    const lost = [etcdFrom(-1), told('erase'), etcdFrom(500)];
    expect(problems(host, { image: 'x', disk: '' }, 'ironic', ...lost)).toEqual([]);
    expect(problems(host, { image: 'x', disk: '' }, 'ironic', ...lost, told('deploy'))).toHaveLength(1);
    expect(problems(host, { image: 'x', disk: '' }, 'ironic', told('erase'), etcdFrom(500))).toHaveLength(1);
    // Ironic itself still has to agree, also when it was put back.
    expect(problems(host, { image: 'y', disk: '' }, 'ironic', ...lost)).toHaveLength(1);
    expect(problems(host, { image: 'y', disk: '' }, 'ironic', ...lost, ironicSays({ image: 'y' }))).toHaveLength(1);
  });
});
