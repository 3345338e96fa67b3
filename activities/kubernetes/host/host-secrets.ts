import { z } from 'zod';
import type { HostRef } from '../../../domain/ironic/orders.ts';
import { isSealed, secretsIn } from '../../../domain/urls/hidden.ts';
import type { Kube } from '../../../kube/client.ts';
import { readDataImage } from '../../../kube/objects/dataimage.ts';
import { readMetadata } from '../../../kube/objects/metadata.ts';
import { readPreprovisioningImage } from '../../../kube/objects/preprovisioningimage.ts';
import { openedUrl } from '../../../kube/objects/sealed-urls.ts';
import { textOf } from '../../../kube/objects/secret.ts';
import { dataImagePath, hostPath, imagePath } from '../../../kube/paths.ts';
import { type HostData, HostDataError } from '../../host-data.ts';
import { isApiRefusal } from '../refusal.ts';
import { readSecret } from '../secrets.ts';
import { registryLogin } from './registry-login.ts';

const text = z.string().optional().catch(undefined);
const image = z.object({ url: text, checksum: text, ociAuthSecretName: text }).optional().catch(undefined);
const hostObject = z.object({
  spec: z
    .object({ image, bmc: z.object({ credentialsName: text }).optional().catch(undefined) })
    .catch({ image: undefined, bmc: undefined }),
  status: z
    .object({
      lastAttemptedImage: image,
      provisioning: z.object({ image }).optional().catch(undefined),
      goodCredentials: z
        .object({ credentials: z.object({ name: text }).optional().catch(undefined) })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});
type HostObject = z.infer<typeof hostObject>;

/** The secrets of a host, read from the API server whenever an activity needs them. */
export const hostSecrets = (kube: Kube): Pick<HostData, 'openedImage' | 'openedUrl' | 'secretsOf'> => ({
  async openedImage(host, sealed) {
    const { url, checksum, ...rest } = sealed;
    if (![url, checksum ?? ''].some(isSealed)) return sealed;
    const images = imagesOf(await readOwn(kube, host));
    const image = images.find((one) => one.url !== undefined && openedUrl(host.uid, url, [one.url]) !== undefined);
    if (image?.url === undefined) throw anotherImage(host);
    const checksums = [image, ...images].flatMap((one) => one.checksum ?? []);
    const opened = checksum && (openedUrl(host.uid, checksum, checksums) ?? image.checksum);
    return { ...rest, url: image.url, ...(opened !== undefined && { checksum: opened }) };
  },

  async openedUrl(host, url) {
    if (!isSealed(url)) return url;
    const found = await readOwn(kube, host);
    const opened = openedUrl(host.uid, url, urlsOf(found)) ?? openedUrl(host.uid, url, await urlsOfImages(kube, host));
    if (opened !== undefined) return opened;
    throw anotherImage(host);
  },

  async secretsOf(host) {
    const found = await readOwn(kube, host);
    const urls = [...urlsOf(found), ...(await urlsOfImages(kube, host))];
    const secrets = urls.flatMap(secretsIn);
    if (found === undefined) return secrets;
    const names = [found.spec.bmc?.credentialsName, found.status?.goodCredentials?.credentials?.name];
    const passwords = await Promise.all([...new Set(names)].map((name) => passwordIn(kube, host, name)));
    return [...secrets, ...passwords.flat(), ...(await loginIn(kube, host, found))];
  },
});

const anotherImage = ({ namespace, name }: HostRef): HostDataError =>
  new HostDataError(`BareMetalHost ${namespace}/${name} has another image meanwhile`);

/** undefined when it is gone, or another host has its name. */
async function readOwn(kube: Kube, host: HostRef): Promise<HostObject | undefined> {
  const found = await kube.find(hostPath(host));
  return found === undefined || readMetadata(found).uid !== host.uid ? undefined : hostObject.parse(found);
}

const imagesOf = (found: HostObject | undefined): readonly NonNullable<HostObject['spec']['image']>[] =>
  [found?.spec.image, found?.status?.provisioning?.image, found?.status?.lastAttemptedImage].filter(
    (one) => one !== undefined,
  );

const urlsOf = (found: HostObject | undefined): readonly string[] =>
  imagesOf(found).flatMap(({ url, checksum }) => [url, checksum].filter((text) => text !== undefined));

async function urlsOfImages(kube: Kube, host: HostRef): Promise<readonly string[]> {
  const [inserted, built] = await Promise.all([
    unlessRefused(kube.find(dataImagePath(host))),
    unlessRefused(kube.find(imagePath(host))),
  ]);
  const drive = inserted === undefined ? undefined : readDataImage(inserted);
  const { imageUrl, kernelUrl } = (built === undefined ? undefined : readPreprovisioningImage(built).status) ?? {};
  return [drive?.spec.url, drive?.status.attachedImage?.url, imageUrl, kernelUrl].filter((url) => url !== undefined);
}

async function passwordIn(kube: Kube, { namespace }: HostRef, name: string | undefined): Promise<readonly string[]> {
  const secret = name === undefined ? undefined : await unlessRefused(readSecret(kube, { namespace, name }));
  const password = secret && textOf(secret, 'password');
  return password === undefined ? [] : [password, password.trim()];
}

async function loginIn(kube: Kube, { namespace }: HostRef, { spec }: HostObject): Promise<readonly string[]> {
  const { ociAuthSecretName: name, url } = spec.image ?? {};
  const secret = !name || url === undefined ? undefined : await unlessRefused(readSecret(kube, { namespace, name }));
  const found = secret && registryLogin(secret, url ?? '');
  if (found?.kind !== 'ok') return [];
  return [found.login, found.login.slice(found.login.indexOf(':') + 1), Buffer.from(found.login).toString('base64')];
}

/** Where a kind is not installed, or not ours to read, there is nothing that we could have sent. */
async function unlessRefused<T>(reading: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isApiRefusal(error)) return undefined;
    throw error;
  }
}
