import type { HostRef } from '../../../domain/ironic/orders.ts';
import { isSealed, secretsIn } from '../../../domain/urls/hidden.ts';
import type { Kube } from '../../../kube/client.ts';
import { type BareMetalHostRead, imageUrlsOf, readHost } from '../../../kube/objects/baremetalhost.ts';
import { readDataImage } from '../../../kube/objects/dataimage.ts';
import { readPreprovisioningImage } from '../../../kube/objects/preprovisioningimage.ts';
import { openedUrl } from '../../../kube/objects/sealed-urls.ts';
import { textOf } from '../../../kube/objects/secret.ts';
import { dataImagePath, hostPath, imagePath } from '../../../kube/paths.ts';
import { type HostData, HostDataError } from '../../host-data.ts';
import { isApiRefusal } from '../refusal.ts';
import { readSecret } from '../secrets.ts';
import { registryLogin } from './registry-login.ts';

/** The secrets of a host, read from the API server whenever an activity needs them. */
export const hostSecrets = (kube: Kube): Pick<HostData, 'openedImage' | 'openedUrl' | 'secretsOf'> => ({
  async openedImage(host, sealed) {
    const { url, checksum, ...rest } = sealed;
    if (![url, checksum ?? ''].some(isSealed)) return sealed;
    const { images = [] } = (await readOwn(kube, host)) ?? {};
    const image = images.find((one) => one.url !== undefined && openedUrl(host.uid, url, [one.url]) !== undefined);
    if (image?.url === undefined) throw anotherImage(host);
    const checksums = [image, ...images].flatMap((one) => one.checksum ?? []);
    const opened = checksum && (openedUrl(host.uid, checksum, checksums) ?? image.checksum);
    return { ...rest, url: image.url, ...(opened !== undefined && { checksum: opened }) };
  },

  async openedUrl(host, url) {
    if (!isSealed(url)) return url;
    const opened =
      openedUrl(host.uid, url, imageUrlsOf((await readOwn(kube, host)) ?? NOTHING)) ??
      openedUrl(host.uid, url, await urlsOfImages(kube, host));
    if (opened !== undefined) return opened;
    throw anotherImage(host);
  },

  async secretsOf(host) {
    const found = await readOwn(kube, host);
    const urls = [...imageUrlsOf(found ?? NOTHING), ...(await urlsOfImages(kube, host))];
    const secrets = urls.flatMap(secretsIn);
    if (found === undefined) return secrets;
    const names = new Set([found.spec.credentialsName, found.goodSecret]);
    const passwords = await Promise.all([...names].map((name) => passwordIn(kube, host, name)));
    return [...secrets, ...passwords.flat(), ...(await loginIn(kube, host, found))];
  },
});

const anotherImage = ({ namespace, name }: HostRef): HostDataError =>
  new HostDataError(`BareMetalHost ${namespace}/${name} has another image meanwhile`);

/** undefined when it is gone, or another host has its name. */
async function readOwn(kube: Kube, host: HostRef): Promise<BareMetalHostRead | undefined> {
  const found = await kube.find(hostPath(host));
  const read = found === undefined ? undefined : readHost(found);
  return read?.metadata.uid === host.uid ? read : undefined;
}

const NOTHING = { images: [] };

async function urlsOfImages(kube: Kube, host: HostRef): Promise<readonly string[]> {
  const [inserted, built] = await Promise.all([
    unlessRefused(kube.find(dataImagePath(host))),
    unlessRefused(kube.find(imagePath(host))),
  ]);
  const drive = inserted === undefined ? undefined : readDataImage(inserted);
  const { imageUrl, kernelUrl } = (built === undefined ? undefined : readPreprovisioningImage(built).status) ?? {};
  return [drive?.spec.url, drive?.status.attachedImage?.url, imageUrl, kernelUrl].filter((url) => url !== undefined);
}

async function passwordIn(kube: Kube, { namespace }: HostRef, name: string): Promise<readonly string[]> {
  const secret = name === '' ? undefined : await unlessRefused(readSecret(kube, { namespace, name }));
  const password = secret && textOf(secret, 'password');
  return password === undefined ? [] : [password, password.trim()];
}

async function loginIn(
  kube: Kube,
  { namespace }: HostRef,
  { registrySecret: name, imageUrl }: BareMetalHostRead,
): Promise<readonly string[]> {
  const secret =
    name === '' || imageUrl === '' ? undefined : await unlessRefused(readSecret(kube, { namespace, name }));
  const found = secret && registryLogin(secret, imageUrl);
  if (found?.kind !== 'ok') return [];
  return [found.login, found.login.slice(found.login.indexOf(':') + 1), Buffer.from(found.login).toString('base64')];
}

/** undefined where a kind is not installed, or we may not read it: then we have sent nothing from it. */
async function unlessRefused<T>(reading: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isApiRefusal(error)) return undefined;
    throw error;
  }
}
