import { createHash } from 'node:crypto';
import { fetch } from 'undici';
import type { AgentImageInfo } from './checksum.ts';
import { wantedChecksum } from './checksum.ts';
import { decodeConfigDrive } from './config-drive.ts';
import type { AgentDisk, WrittenImage } from './disk.ts';

const download = async (
  url: string,
  algorithm: string,
  signal: AbortSignal,
): Promise<{ bytes: number; digest: string }> => {
  const response = await fetch(url, { signal });
  if (!response.ok || response.body === null) {
    throw new Error(`Error downloading image: Received status code ${response.status} from ${url}, expected 200`);
  }
  const hash = createHash(algorithm);
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, digest: hash.digest('hex') };
};

/** Downloads the image, verifies its checksum and stores its digest and the config drive on the disk. */
export const writeImage = async (
  disk: AgentDisk,
  info: AgentImageInfo,
  configDrive: string | null,
  signal: AbortSignal,
): Promise<WrittenImage> => {
  const [url] = info.urls ?? [];
  if (url === undefined) throw new Error('Command write_image got no image URL');
  await disk.spoil();
  const wanted = await wantedChecksum(info, url);
  const { bytes, digest } = await download(url, wanted.algorithm, signal);
  if (digest !== wanted.value) {
    throw new Error(
      `Error verifying image checksum: Image failed to verify against checksum. location: ${url}; ` +
        `image ID: ${url.split('/').at(-1)}; image checksum: ${wanted.value}; verification checksum: ${digest}`,
    );
  }
  const { algorithm } = wanted;
  const image = {
    url,
    format: info.disk_format ?? null,
    bytes,
    algorithm,
    digest,
    writtenAt: new Date().toISOString(),
  };
  await disk.write(image, configDrive ? await decodeConfigDrive(configDrive) : null);
  return image;
};
