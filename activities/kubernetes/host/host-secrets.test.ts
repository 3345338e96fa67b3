import { afterEach, describe, expect, test } from 'vitest';
import { sealImage, sealUrl } from '../../../kube/objects/sealed-urls.ts';
import { type ApiServerOf, apiServerOf } from '../../../test/builders/api-server-of.ts';
import { hostSecrets } from './host-secrets.ts';

const HOST = { namespace: 'metal', name: 'host-1', uid: 'uid-1' };
const WANTED = 'oci://images/a?sig=canary-wanted';
const SUMS = 'https://images/SUMS?sig=canary-sums';
const DEPLOYED = 'https://me:canary-deployed@images/b';
const INSERTED = 'https://images/data.iso?sig=canary-inserted';
const BUILT = 'https://images/agent.iso?sig=canary-built';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const metadata = (name: string, uid = 'uid-1') => ({ namespace: 'metal', name, uid, resourceVersion: '1' });
const METAL3 = '/apis/metal3.io/v1alpha1/namespaces/metal';
const login = { auths: { images: { auth: base64('me:canary-registry') } } };
const all = {
  [`${METAL3}/baremetalhosts/host-1`]: {
    metadata: metadata('host-1'),
    spec: {
      image: { url: WANTED, checksum: SUMS, ociAuthSecretName: 'pull' },
      bmc: { address: 'redfish://x', credentialsName: 'bmc' },
    },
    status: { provisioning: { image: { url: DEPLOYED } }, goodCredentials: { credentials: { name: 'old-bmc' } } },
  },
  [`${METAL3}/dataimages/host-1`]: { metadata: metadata('host-1'), spec: { url: INSERTED } },
  [`${METAL3}/preprovisioningimages/host-1`]: {
    metadata: metadata('host-1'),
    spec: { acceptFormats: ['iso'] },
    status: { imageUrl: BUILT, format: 'iso' },
  },
  '/api/v1/namespaces/metal/secrets/bmc': { metadata: metadata('bmc'), data: { password: base64('canary-bmc\n') } },
  '/api/v1/namespaces/metal/secrets/old-bmc': {
    metadata: metadata('old-bmc'),
    data: { password: base64('canary-old') },
  },
  '/api/v1/namespaces/metal/secrets/pull': {
    metadata: metadata('pull'),
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': base64(JSON.stringify(login)) },
  },
};

let open: ApiServerOf | undefined;
afterEach(async () => open?.close());
async function secretsIn(objects: Readonly<Record<string, object>>) {
  open = await apiServerOf(objects);
  return hostSecrets(open.kube);
}

describe('a sealed URL', () => {
  test.each([WANTED, SUMS, DEPLOYED, INSERTED, BUILT])('is opened from the objects of its host: %s', async (url) => {
    const { openedUrl } = await secretsIn(all);
    expect(await openedUrl(HOST, sealUrl(HOST.uid, url))).toBe(url);
  });

  test('is not opened with another signature, nor from another host of the same name', async () => {
    const { openedUrl } = await secretsIn(all);
    const problem = 'BareMetalHost metal/host-1 has another image meanwhile';
    await expect(openedUrl(HOST, sealUrl(HOST.uid, `${WANTED}-old`))).rejects.toThrow(problem);
    await expect(openedUrl({ ...HOST, uid: 'uid-0' }, sealUrl('uid-0', WANTED))).rejects.toThrow(problem);
  });

  test('without secrets is what it is, and asks nobody', async () => {
    const { openedUrl } = await secretsIn({});
    expect(await openedUrl(HOST, 'http://images/a')).toBe('http://images/a');
    expect(await openedUrl(HOST, '')).toBe('');
  });
});

describe('a sealed image', () => {
  const image = { url: WANTED, checksum: SUMS };
  const host = (spec: object) => ({ [`${METAL3}/baremetalhosts/host-1`]: { metadata: metadata('host-1'), spec } });

  test('is opened from its host, whatever else the image says', async () => {
    const { openedImage } = await secretsIn(all);
    const sealed = sealImage(HOST.uid, { ...image, format: 'raw' as const });
    expect(await openedImage(HOST, sealed)).toEqual({ ...image, format: 'raw' });
  });

  test.each([
    ['the new signature of its checksum', `${SUMS}-new`],
    ['the checksum that replaced it', '0123abcd'],
    ['no checksum, when there is none any more', undefined],
  ])('has %s', async (_, checksum) => {
    const { openedImage } = await secretsIn(host({ image: { url: WANTED, checksum } }));
    const opened = { url: WANTED, ...(checksum !== undefined && { checksum }) };
    expect(await openedImage(HOST, sealImage(HOST.uid, image))).toEqual(opened);
  });

  test('is not opened when the host has another one', async () => {
    const { openedImage } = await secretsIn(host({ image: { ...image, url: `${WANTED}-new` } }));
    const problem = 'BareMetalHost metal/host-1 has another image meanwhile';
    await expect(openedImage(HOST, sealImage(HOST.uid, image))).rejects.toThrow(problem);
  });

  test('without secrets is what it is, and asks nobody', async () => {
    const plain = { url: 'http://images/a', checksum: 'abc' };
    expect(await (await secretsIn({})).openedImage(HOST, plain)).toBe(plain);
  });
});

test('the secrets of a host are its passwords, its login at a registry, and those in its URLs', async () => {
  const { secretsOf } = await secretsIn(all);
  expect(await secretsOf(HOST)).toEqual(
    expect.arrayContaining([
      'canary-bmc',
      'canary-old',
      'canary-registry',
      'canary-wanted',
      'canary-sums',
      'canary-deployed',
      'canary-inserted',
      'canary-built',
    ]),
  );
});

test('a host that is gone, or names no Secret that exists, has no secrets', async () => {
  expect(await (await secretsIn({})).secretsOf(HOST)).toEqual([]);
  await open?.close();
  const host = { metadata: metadata('host-1'), spec: { bmc: { credentialsName: '../x' }, image: 7 }, status: 'odd' };
  expect(await (await secretsIn({ [`${METAL3}/baremetalhosts/host-1`]: host })).secretsOf(HOST)).toEqual([]);
});
