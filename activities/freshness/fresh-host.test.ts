import { describe, expect, test } from 'vitest';
import type { ProvisionOrder } from '../../domain/ironic/orders.ts';
import { sealImage } from '../../kube/objects/sealed-urls.ts';
import { admittedHost } from '../../test/builders/admission.ts';
import { STALE } from '../../workflows/messages.ts';
import type { IronicActivities } from '../ironic/activities.ts';
import { forFreshHosts } from './fresh-host.ts';

const IMAGE = { url: 'https://me:canary@images/a?sig=canary', checksum: 'https://images/SUMS?sig=canary' };
const UID = 'uid-1';

/** Asks for a deployment of a host that wants the image; whether it was performed, and the error. */
async function deploy(image: ProvisionOrder['image']) {
  const { metadata, ...rest } = admittedHost({ spec: { image: IMAGE } });
  const host = { ...rest, metadata: { ...metadata, uid: UID }, status: aStatus };
  let performed = false;
  const inner = {
    deployNode: () => {
      performed = true;
      return Promise.resolve({ kind: 'started' });
    },
  } as unknown as IronicActivities;
  const call = () => ({ signal: new AbortController().signal });
  const activities = forFreshHosts(inner, { kube: { find: () => Promise.resolve(host) }, call, patienceMs: 0 });
  const order = { host: { namespace: 'metal', name: 'host-1', uid: UID }, nodeId: 'n', image } as ProvisionOrder;
  const error: unknown = await activities.deployNode(order).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { performed, error };
}
const aStatus = {
  operationalStatus: 'OK',
  errorMessage: '',
  errorCount: 0,
  poweredOn: false,
  provisioning: { state: 'provisioning', ID: 'n' },
};

describe('a deployment of an image with secrets in its URLs', () => {
  test.each([
    ['the sealed URLs, as the workflow knows them', sealImage(UID, IMAGE)],
    ['the URLs with the secrets, as an older run remembers them', IMAGE],
  ])('is performed for %s', async (_, image) => {
    expect(await deploy(image)).toEqual({ performed: true, error: undefined });
  });

  test.each([
    ['another signature', sealImage(UID, { ...IMAGE, url: IMAGE.url.replace('sig=canary', 'sig=old') })],
    ['another host of this name', sealImage('uid-0', IMAGE)],
    ['the same file without secrets', { ...IMAGE, url: 'https://images/a' }],
  ])('is stale for %s', async (_, image) => {
    expect(await deploy(image)).toMatchObject({ performed: false, error: { type: STALE } });
  });
});
