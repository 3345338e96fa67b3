import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { execa } from 'execa';
import { z } from 'zod';
import { digestOf } from '../../deploy/image/layer.ts';

const descriptor = z.object({ mediaType: z.string(), digest: z.string(), size: z.number() });
const platform = z.object({ architecture: z.string(), os: z.string() });
const named = descriptor.extend({
  annotations: z.record(z.string(), z.string()).optional(),
  artifactType: z.string().optional(),
});
const rootIndex = z.object({ schemaVersion: z.literal(2), manifests: z.array(named) });
const imageIndex = z.object({ schemaVersion: z.literal(2), manifests: z.array(descriptor.extend({ platform })) });
const manifest = z.object({
  schemaVersion: z.literal(2),
  config: descriptor,
  layers: z.array(descriptor),
  annotations: z.record(z.string(), z.string()).default({}),
  subject: descriptor.optional(),
});
const configuration = z.looseObject({
  architecture: z.string(),
  os: z.string(),
  config: z.looseObject({}),
  rootfs: z.object({ type: z.literal('layers'), diff_ids: z.array(z.string()) }),
});
type Descriptor = z.infer<typeof descriptor>;

interface LaidImage {
  readonly platform: z.infer<typeof platform>;
  readonly config: z.infer<typeof configuration>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly sbom: string;
}

interface OpenLayout {
  readonly name: string | undefined;
  readonly digest: string;
  readonly images: readonly LaidImage[];
  /** Unpacks our layers, as an engine does over those of the base. */
  unpack(architecture: string, folder: string): Promise<void>;
}

/** Reads an OCI image layout as a registry's client does: every blob is compared with its digest and size. */
export async function openLayout(folder: string): Promise<OpenLayout> {
  const blobFile = (digest: string): string => join(folder, 'blobs', ...digest.split(':'));
  const blob = async ({ digest, size }: Descriptor): Promise<Buffer> => {
    const content = await readFile(blobFile(digest));
    if (digestOf(content) !== digest || content.length !== size) throw new Error(`${digest} is another file`);
    return content;
  };
  const read = async <Schema extends z.ZodType>(schema: Schema, at: Descriptor): Promise<z.infer<Schema>> =>
    schema.parse(JSON.parse((await blob(at)).toString()));

  const root = rootIndex.parse(JSON.parse(await readFile(join(folder, 'index.json'), 'utf8')));
  const [first, ...referrers] = root.manifests;
  if (first === undefined) throw new Error('the layout is empty');
  const { manifests } = await read(imageIndex, first);
  const artifacts = await Promise.all(referrers.map((one) => read(manifest, one)));

  const images = manifests.map(async (one): Promise<LaidImage> => {
    const { config, layers, annotations } = await read(manifest, one);
    const settings = await read(configuration, config);
    const diffIds = await Promise.all(layers.map(async (layer) => digestOf(gunzipSync(await blob(layer)))));
    if (diffIds.join() !== settings.rootfs.diff_ids.join())
      throw new Error('the layers are others than the configuration names');
    const [sbom] = artifacts.find(({ subject }) => subject?.digest === one.digest)?.layers ?? [];
    return {
      platform: one.platform,
      config: settings,
      annotations,
      sbom: sbom === undefined ? '' : (await blob(sbom)).toString(),
    };
  });

  return {
    name: first.annotations?.['org.opencontainers.image.ref.name'],
    digest: first.digest,
    images: await Promise.all(images),
    async unpack(architecture, target) {
      const found = manifests.find((one) => one.platform.architecture === architecture);
      if (found === undefined) throw new Error(`there is no image for ${architecture}`);
      await mkdir(target, { recursive: true });
      const { layers } = await read(manifest, found);
      for (const { digest } of layers)
        await execa('tar', [
          '--extract',
          '--gzip',
          '--no-same-owner',
          '--file',
          blobFile(digest),
          '--directory',
          target,
        ]);
    },
  };
}
