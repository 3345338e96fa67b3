import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import type { ImageDownload, Platform } from './binary.ts';
import type { Transfer } from './transfer.ts';

const INDEX = 'application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json';

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const indexSchema = z.object({
  manifests: z.array(z.object({ digest, platform: z.object({ os: z.string(), architecture: z.string() }) })),
});
const manifestSchema = z.object({ layers: z.array(z.object({ digest })) });

/**
 * Extracts a program from a container image and returns its path in the folder. Everything but the index is verified by
 * its digest.
 */
export async function programOfImage(
  { registry, repository, tag, platform, member }: ImageDownload,
  folder: string,
  { get, save }: Transfer,
): Promise<string> {
  const image = `${registry}/v2/${repository}`;
  const index = indexSchema.parse(await (await get(`${image}/manifests/${tag}`, INDEX)).json());
  const wanted = index.manifests.find((one) => isFor(one.platform, platform));
  if (wanted === undefined) throw new Error(`${repository}:${tag} does not exist for ${platform.os}/${platform.arch}`);
  const text = await (await get(`${image}/manifests/${wanted.digest}`, MANIFEST)).text();
  requireDigest(text, wanted.digest, `${image}/manifests/${wanted.digest}`);
  const { layers } = manifestSchema.parse(JSON.parse(text));
  const file = join(folder, 'layer');
  // The program of an image is in one of its last layers.
  for (const layer of [...layers].reverse()) {
    await save(`${image}/blobs/${layer.digest}`, file, { algorithm: 'sha256', digest: hexOf(layer.digest) });
    const { stdout } = await execa('tar', ['-tf', file]);
    const entry = stdout.split('\n').find((name) => name.replace(/^\.?\//, '') === member);
    if (entry === undefined) continue;
    await execa('tar', ['-xf', file, '-C', folder, entry]);
    await rm(file);
    return join(folder, member);
  }
  throw new Error(`there is no ${member} in ${repository}:${tag}`);
}

const isFor = (has: { os: string; architecture: string }, { os, arch }: Platform): boolean =>
  has.os === os && has.architecture === arch;

const hexOf = (name: string): string => name.slice('sha256:'.length);

function requireDigest(text: string, name: string, url: string): void {
  const actual = createHash('sha256').update(text).digest('hex');
  if (actual !== hexOf(name)) throw new Error(`${url} differs from the published file: its sha256 is ${actual}`);
}
