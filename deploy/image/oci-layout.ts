import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Base, RunConfig } from './dockerfile.ts';
import { digestOf, type Layer } from './layer.ts';
import type { Architecture } from './stage.ts';

/** Writes an OCI image layout (opencontainers/image-spec), without an engine and without a registry. */

const TYPES = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  empty: 'application/vnd.oci.empty.v1+json',
  sbom: 'application/vnd.cyclonedx+json',
} as const;

export interface Image {
  readonly architecture: Architecture;
  /** The layers, the lowest first. */
  readonly layers: readonly Layer[];
  /** CycloneDX, stored as an artifact that refers to the image. */
  readonly sbom: string;
}

export interface ImageSet {
  readonly name: string;
  /** The image on which these layers belong; its own layers are not in the layout. */
  readonly base: Base;
  readonly run: RunConfig;
  readonly annotations: Readonly<Record<string, string>>;
  readonly images: readonly Image[];
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** Returns the digest of the index of all architectures. */
export async function writeLayout(folder: string, set: ImageSet): Promise<string> {
  await mkdir(join(folder, 'blobs', 'sha256'), { recursive: true });
  const blob = async (mediaType: string, content: Buffer | string): Promise<Descriptor> => {
    const digest = digestOf(content);
    await writeFile(join(folder, 'blobs', ...digest.split(':')), content);
    return { mediaType, digest, size: Buffer.byteLength(content) };
  };
  const json = (mediaType: string, value: object): Promise<Descriptor> => blob(mediaType, JSON.stringify(value));
  const common = {
    ...set.annotations,
    'org.opencontainers.image.base.name': set.base.name,
    'org.opencontainers.image.base.digest': set.base.digest,
  };

  const manifests: object[] = [];
  const referrers: object[] = [];
  for (const { architecture, layers, sbom } of set.images) {
    const config = await json(TYPES.config, {
      architecture,
      os: 'linux',
      config: { ...set.run, Labels: common },
      rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    });
    const stored: Descriptor[] = [];
    for (const { compressed } of layers) stored.push(await blob(TYPES.layer, compressed));
    const manifest = { schemaVersion: 2, mediaType: TYPES.manifest, config, layers: stored, annotations: common };
    const subject = await json(TYPES.manifest, manifest);
    manifests.push({ ...subject, platform: { architecture, os: 'linux' } });
    const artifact = {
      schemaVersion: 2,
      mediaType: TYPES.manifest,
      artifactType: TYPES.sbom,
      config: await blob(TYPES.empty, '{}'),
      layers: [await blob(TYPES.sbom, sbom)],
      subject,
    };
    referrers.push({ ...(await json(TYPES.manifest, artifact)), artifactType: TYPES.sbom });
  }
  const index = await json(TYPES.index, { schemaVersion: 2, mediaType: TYPES.index, manifests, annotations: common });
  const named = { ...index, annotations: { 'org.opencontainers.image.ref.name': set.name } };
  const root = { schemaVersion: 2, mediaType: TYPES.index, manifests: [named, ...referrers] };
  await writeFile(join(folder, 'index.json'), JSON.stringify(root));
  await writeFile(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  return index.digest;
}
