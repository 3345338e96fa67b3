import { spawnSync } from 'node:child_process';
import { copyFile, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { foreignModules } from './native-modules.ts';

/**
 * Puts our part of the image into a folder, for the Dockerfile. Needs no package, because the Dockerfile calls it before
 * any is installed.
 */

/** Folders of the repository that bridge and workers are bundled from. */
export const SOURCES = [
  'api',
  'domain',
  'workflows',
  'kube',
  'activities',
  'workers',
  'k8s-bridge',
  'platform',
] as const;
/** Files of the repository that are next to these folders. */
export const FILES = ['package.json', 'package-lock.json', '.npmrc', 'LICENSE'] as const;

/**
 * Architectures by the names of container images, with the names that Node and the native part of Temporal's SDK use.
 */
const TARGETS = {
  amd64: { cpu: 'x64', native: 'x86_64-unknown-linux-gnu' },
  arm64: { cpu: 'arm64', native: 'aarch64-unknown-linux-gnu' },
} as const;
export type Architecture = keyof typeof TARGETS;
export const ARCHITECTURES = Object.keys(TARGETS) as readonly Architecture[];

/** The bill of materials of the packages in the image. */
export const SBOM = 'sbom.cdx.json';
/** workers/bundle.ts reads this file instead of building a bundle. */
const BUNDLE = 'workflow-bundle.js';
const ROOT = join(import.meta.dirname, '..', '..');
/** Package with sources and builds for all platforms: four fifths of the packages' size. */
const NATIVE = 'node_modules/@temporalio/core-bridge';
/** Where this checkout has the native module of an architecture. */
export const nativeModule = (architecture: Architecture): string =>
  join(ROOT, NATIVE, 'releases', TARGETS[architecture].native, 'index.node');
const NATIVE_SOURCES = ['sdk-core', 'src', 'bridge-macros', 'Cargo.lock', 'Cargo.toml'];

export interface Staging {
  readonly architecture: Architecture;
  /** The file with the workflow bundle. */
  readonly bundle: string;
  /** The folder with the bundled programs. */
  readonly programs: string;
  /** An empty folder. */
  readonly folder: string;
}

export async function stage({ architecture, bundle, programs, folder }: Staging): Promise<void> {
  const { cpu, native } = TARGETS[architecture];
  for (const file of FILES) await copyFile(join(ROOT, file), join(folder, file));
  // Install scripts do not run: nothing is compiled, so that one architecture can be staged on the other.
  const platform = ['--os=linux', `--cpu=${cpu}`, '--libc=glibc'];
  npm(folder, 'ci', '--omit=dev', '--workspaces=false', '--ignore-scripts', '--prefer-offline', ...platform);
  await forgetDevelopment(join(folder, 'package.json'));
  await writeFile(join(folder, SBOM), billOfMaterials(folder));
  for (const other of await readdir(join(folder, NATIVE, 'releases')))
    if (other !== native) await rm(join(folder, NATIVE, 'releases', other), { recursive: true });
  for (const source of NATIVE_SOURCES) await rm(join(folder, NATIVE, source), { recursive: true, force: true });
  const foreign = await foreignModules(folder, architecture);
  if (foreign.length > 0) throw new Error(`native modules are not built for ${architecture}: ${foreign.join(', ')}`);
  await cp(programs, join(folder, 'programs'), { recursive: true });
  await copyFile(bundle, join(folder, BUNDLE));
}

/**
 * Removes development packages and workspaces from npm's records: otherwise npm would report them as missing in the
 * image.
 */
async function forgetDevelopment(file: string): Promise<void> {
  const {
    devDependencies: _,
    scripts: __,
    workspaces: ___,
    ...manifest
  } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  await writeFile(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/**
 * The bill of materials in CycloneDX, without the time and the random number that npm adds: the same packages give the
 * same file.
 */
function billOfMaterials(folder: string): string {
  const { serialNumber: _, ...document } = JSON.parse(
    npm(folder, 'sbom', '--omit=dev', '--sbom-format=cyclonedx'),
  ) as Readonly<Record<string, unknown>> & { readonly metadata: Readonly<Record<string, unknown>> };
  const { timestamp: __, ...metadata } = document.metadata;
  return `${JSON.stringify({ ...document, metadata }, undefined, 1)}\n`;
}

function npm(cwd: string, ...args: readonly string[]): string {
  const { status, stdout, error } = spawnSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status === 0) return stdout;
  throw new Error(`npm ${args.join(' ')} failed`, { cause: error });
}

function isArchitecture(name: string | undefined): name is Architecture {
  return name !== undefined && name in TARGETS;
}

if (import.meta.main) {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { architecture: text, bundle: text, programs: text, folder: text } });
  const { architecture, bundle, programs, folder } = values;
  if (!isArchitecture(architecture) || bundle === undefined || programs === undefined || folder === undefined)
    throw new Error(
      `usage: stage.ts --architecture ${ARCHITECTURES.join('|')} --bundle <file> --programs <folder> --folder <empty folder>`,
    );
  await stage({ architecture, bundle, programs, folder });
}
