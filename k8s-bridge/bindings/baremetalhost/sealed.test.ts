import { describe, expect, test } from 'vitest';
import { DEFAULT_HOST_SETTINGS } from '../../../domain/host/memory/settings.ts';
import { begin } from '../../../domain/host/memory/take-in.ts';
import { show } from '../../../domain/host/report/show.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { readObject } from '../../../kube/objects/any-object.ts';
import { readDataImage } from '../../../kube/objects/dataimage.ts';
import { createStore } from '../../../kube/store.ts';
import { hostEssence, observeHost } from './observe.ts';
import { openedDrive, openedStatus } from './sealed.ts';

const IMAGE = { url: 'https://me:canary@images/a?sig=canary', checksum: 'https://images/SUMS?sig=canary' };
const OLD = { url: 'https://images/b?sig=canary' };
const identity = { namespace: 'metal', name: 'node-1', uid: 'u', resourceVersion: '7' };
const metadata = { ...identity, generation: 2, creationTimestamp: '2026-01-01T00:00:00Z' };

const aHost = ({ image = IMAGE }: { image?: object } = {}) => ({
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'BareMetalHost',
  metadata,
  spec: { online: true, image },
  status: {
    operationalStatus: 'OK',
    errorMessage: `Image provisioning failed (url: ${OLD.url}): why`,
    errorCount: 0,
    provisioningFailCount: 0,
    poweredOn: true,
    lastUpdated: '2026-01-01T00:00:00Z',
    lastAttemptedImage: IMAGE,
    provisioning: { state: 'provisioned', ID: '1', image: OLD },
  },
});
const theDrive = { metadata, spec: { url: `${IMAGE.url}-iso` }, status: { attachedImage: { url: OLD.url } } };
const theAgent = {
  metadata,
  spec: { acceptFormats: ['iso'] },
  status: { format: 'iso', imageUrl: IMAGE.url, kernelUrl: OLD.url },
};

function observed(host: object) {
  const stores = createStore();
  stores.put(KINDS.dataImage, { ...identity, object: theDrive });
  stores.put(KINDS.preprovisioningImage, { ...identity, object: theAgent });
  const settings = { ...DEFAULT_HOST_SETTINGS, buildsPreprovisioningImages: true };
  const seen = observeHost({ ...identity, object: host }, stores, settings, { written: undefined, now: 0 });
  if ('problems' in seen) throw new Error(seen.problems.join('; '));
  return seen;
}

describe('a snapshot of a host', () => {
  test('has URLs of images without the secrets in them', () => {
    const seen = observed(aHost());
    expect(JSON.stringify(seen)).not.toContain('canary');
    expect(seen.spec.image?.url).toMatch(/^https:\/\/images\/a\?hidden=\w{32}$/);
    expect(seen.status?.lastAttemptedImage).toEqual(seen.spec.image);
    expect(seen.dataImage?.url).toMatch(/^https:\/\/images\/a\?hidden=/);
    expect(seen.image?.status.imageUrl).toBe(seen.spec.image?.url);
  });

  test('is new when only the secret in a URL is', () => {
    const signedAnew = aHost({ image: { ...IMAGE, url: IMAGE.url.replace('sig=canary', 'sig=other') } });
    expect(hostEssence(observed(signedAnew))).not.toEqual(hostEssence(observed(aHost())));
  });
});

describe('the status', () => {
  const record = begin(observed(aHost())).status;

  test('of a host is written with the URLs of the host', () => {
    expect(JSON.stringify(record)).not.toContain('canary');
    const { provisioning, lastAttemptedImage } = openedStatus(record, readObject(aHost()));
    expect(provisioning.image).toEqual(OLD);
    expect(lastAttemptedImage).toEqual(IMAGE);
  });

  test('has a sealed URL where the host does not have it any more', () => {
    const { provisioning } = openedStatus(record, readObject({ ...aHost(), spec: 7, status: { provisioning: 'odd' } }));
    expect(provisioning.image).toEqual(record.provisioning.image);
  });

  test('of a DataImage is written with its URL', () => {
    const view = show(begin(observed(aHost()))).ofKind as { readonly media: { readonly status: object } };
    expect(JSON.stringify(view)).not.toContain('canary');
    expect(openedDrive('u', view.media.status, readDataImage(theDrive)).attachedImage).toEqual({ url: OLD.url });
  });
});
