import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { components, INFRASTRUCTURE, IPAM, type Provider } from '../deploy/clusterctl/components.ts';
import { writeChart } from '../deploy/helm/chart.ts';
import { imageName, imageNameInWords } from '../deploy/image/name.ts';
import { packPlugin } from '../deploy/krew/archive.ts';
import { pluginManifest } from '../deploy/krew/manifest.ts';
import { createPrograms } from '../lab/binaries/programs.ts';
import { bridgeConfig, workersConfig } from '../platform/config/config.ts';

/**
 * `npm run package`: writes repositories of the providers `metal3` that clusterctl can read offline,
 * `<folder>/infrastructure-metal3/<version>/` and `<folder>/ipam-metal3/<version>/`, and a `clusterctl.yaml` with their
 * addresses; `<folder>/helm/temper/`, a chart of Helm; and `<folder>/krew/` with the plugin of kubectl, for krew: its
 * archive and its manifest.
 */
const { values } = parseArgs({
  options: {
    // Newer than any release of the same series, so that clusterctl finds it as an upgrade.
    version: { type: 'string', default: 'v1.14.99' },
    folder: { type: 'string', default: 'dist' },
    image: { type: 'string' },
    // The URL from which people download the plugin of kubectl; its archive has the name of the one in `krew/`.
    downloads: { type: 'string', default: 'https://downloads.example.com/temper' },
  },
});
const image = await imageName(values.image, '--image');
const SOURCES = join(import.meta.dirname, '..', 'deploy', 'clusterctl');
const kubectl = await createPrograms(() => undefined)('kubectl');

/** Writes a release and returns its entry in clusterctl's configuration. */
async function release(provider: Provider): Promise<readonly string[]> {
  const repository = join(values.folder, `${provider.folder}-metal3`);
  const into = join(repository, values.version);
  await rm(repository, { recursive: true, force: true });
  await mkdir(into, { recursive: true });
  await writeFile(join(into, provider.components), await components(kubectl, provider, imageNameInWords(image)));
  for (const asset of provider.assets) await copyFile(join(SOURCES, provider.folder, asset), join(into, asset));
  process.stdout.write(`${into}\n`);
  return ['  - name: metal3', `    type: ${provider.type}`, `    url: ${resolve(into, provider.components)}`];
}

const config = join(values.folder, 'clusterctl.yaml');
const entries = [...(await release(INFRASTRUCTURE)), ...(await release(IPAM))];
const example = `# clusterctl --config ${config} init --infrastructure metal3 --ipam metal3`;
await writeFile(config, [example, 'providers:', ...entries, ''].join('\n'));

const chart = join(values.folder, 'helm', 'temper');
const manifest = z.object({ version: z.string() });
await writeChart(chart, kubectl, {
  image,
  version: values.version.replace(/^v/, ''),
  appVersion: manifest.parse(JSON.parse(await readFile(join(SOURCES, '..', '..', 'package.json'), 'utf8'))).version,
  settingNames: [...new Set([...Object.keys(bridgeConfig.shape), ...Object.keys(workersConfig.shape)])].toSorted(),
});
process.stdout.write(`${chart}\n`);

const krew = join(values.folder, 'krew');
const archive = `kubectl-temper-${values.version}.tar.gz`;
await rm(krew, { recursive: true, force: true });
const sha256 = await packPlugin(join(krew, archive));
const uri = `${values.downloads}/${archive}`;
await writeFile(join(krew, 'temper.yaml'), await pluginManifest({ version: values.version, uri, sha256 }));
process.stdout.write(`${krew}\n`);
