import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readDockerfile } from '../deploy/image/dockerfile.ts';
import { packLayer } from '../deploy/image/layer.ts';
import { imageName, imageNameInWords } from '../deploy/image/name.ts';
import { type Image, writeLayout } from '../deploy/image/oci-layout.ts';
import { ARCHITECTURES, type Architecture, FILES, SBOM, SOURCES, stage } from '../deploy/image/stage.ts';
import { buildIdOf, cachedBundle } from '../workers/bundle.ts';

/**
 * `npm run image`: writes our layers of the image for all architectures as an OCI image layout, without an engine. The
 * base image, which holds Node, is named in it but not contained.
 */
const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: 'dist/image' },
    name: { type: 'string' },
    architecture: { type: 'string', multiple: true, default: [...ARCHITECTURES] },
  },
});
const name = imageNameInWords(await imageName(values.name, '--name'));
const chosen = ARCHITECTURES.filter((architecture) => values.architecture.includes(architecture));
const unknown = values.architecture.filter((name) => !ARCHITECTURES.some((known) => known === name));
if (unknown.length > 0) throw new Error(`--architecture ${unknown.join(', ')}: must be ${ARCHITECTURES.join(' or ')}`);

/** Lowest layer first: the packages change least often. */
const LAYERS = [['node_modules'], [...FILES, SBOM, 'workflow-bundle.js', ...SOURCES]];

async function build(architecture: Architecture, bundle: string, work: string): Promise<Image> {
  const folder = await mkdtemp(join(work, `${architecture}-`));
  await stage({ architecture, bundle, folder });
  const layers = [];
  for (const entries of LAYERS) layers.push(await packLayer(folder, entries, join(work, 'layer.tar')));
  return { architecture, layers, sbom: await readFile(join(folder, SBOM), 'utf8') };
}

const work = await mkdtemp(join(tmpdir(), 'temper-image-'));
try {
  const workflows = await cachedBundle();
  const bundle = join(work, 'workflow-bundle.js');
  await writeFile(bundle, workflows.code);
  const images: Image[] = [];
  for (const architecture of chosen) images.push(await build(architecture, bundle, work));
  await rm(values.folder, { recursive: true, force: true });
  const annotations = {
    'org.opencontainers.image.title': 'temper',
    'org.opencontainers.image.licenses': 'Apache-2.0',
    'temper.workflows/build-id': buildIdOf(workflows),
  };
  const digest = await writeLayout(values.folder, { name, ...readDockerfile(), annotations, images });
  process.stdout.write(`${values.folder}: ${digest}\n`);
} finally {
  await rm(work, { recursive: true });
}
