import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';

/** Beside the programs, the licenses of all packages that are bundled into them. */
export const LICENSES = 'licenses.txt';

/** A bundle keeps few of the comments in which packages name their licenses, and none of their files. */
export const licensesOfPackages: Plugin = {
  name: 'licenses of packages',
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    const folders = new Set(modules.flatMap((module) => /\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module) ?? []));
    const source = [...folders].map(licenseIn).toSorted().join('\n');
    this.emitFile({ type: 'asset', fileName: LICENSES, source });
  },
};

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** A line with package, version and license, and the texts that the package comes with. */
function licenseIn(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const texts = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice|copying)\b/i.test(file));
  return [`# ${name} ${version}: ${license}`, ...texts.map((file) => readFileSync(join(folder, file), 'utf8'))].join(
    '\n',
  );
}
