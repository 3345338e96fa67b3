import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { components, DEFAULT_IMAGE } from '../deploy/clusterctl/components.ts';
import { createPrograms } from '../lab/binaries/programs.ts';

/**
 * `npm run package`: writes a repository of the provider `metal3` that clusterctl can read offline:
 * `<folder>/infrastructure-metal3/<version>/`, and a `clusterctl.yaml` with its address.
 */
const ASSETS = [
  'metadata.yaml',
  'cluster-template.yaml',
  'cluster-template-topology.yaml',
  'clusterclass-metal3.yaml',
  'example_variables.rc',
];

const { values } = parseArgs({
  options: {
    // Newer than any release of the series that it replaces, so that an upgrade finds it.
    version: { type: 'string', default: 'v1.14.99' },
    folder: { type: 'string', default: 'dist' },
    image: { type: 'string', default: DEFAULT_IMAGE },
  },
});
const SOURCES = join(import.meta.dirname, '..', 'deploy', 'clusterctl');
const provider = join(values.folder, 'infrastructure-metal3');
const release = join(provider, values.version);

const kubectl = await createPrograms(() => undefined)('kubectl');
await rm(provider, { recursive: true, force: true });
await mkdir(release, { recursive: true });
await writeFile(join(release, 'infrastructure-components.yaml'), await components(kubectl, values.image));
for (const asset of ASSETS) await copyFile(join(SOURCES, asset), join(release, asset));
const config = join(values.folder, 'clusterctl.yaml');
const url = resolve(release, 'infrastructure-components.yaml');
await writeFile(
  config,
  [
    `# clusterctl --config ${config} init --infrastructure metal3`,
    'providers:',
    '  - name: metal3',
    '    type: InfrastructureProvider',
    `    url: ${url}`,
    '',
  ].join('\n'),
);
process.stdout.write(`${release}\n`);
