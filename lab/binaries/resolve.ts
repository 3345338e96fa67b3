import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import PQueue from 'p-queue';
import { messageOf } from '../../domain/message-of.ts';
import { cacheFolder } from '../cache-folder.ts';
import { withLock } from '../supervisor/with-lock.ts';
import { type Binary, type BinaryName, officialMirrors, type Platform } from './binary.ts';
import { buildProgram, builtVersion } from './build.ts';
import { catalog } from './catalog.ts';
import { downloadProgram } from './download.ts';

type Source = 'environment' | 'PATH' | 'cache' | 'download' | 'go build';

export interface ResolvedBinary {
  readonly name: BinaryName;
  readonly path: string;
  readonly version: string;
  readonly source: Source;
}

export interface ResolveOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly platform?: Platform;
  readonly connectTimeoutMs?: number;
  readonly onProgress?: (name: BinaryName, detail: string) => void;
}

export type Resolve = (name: BinaryName) => Promise<ResolvedBinary>;

/** Finds or gets programs. Use one resolver in a run: it remembers which servers are unreachable. */
export function createResolver(options: ResolveOptions = {}): Resolve {
  const env = options.env ?? process.env;
  const binaries = catalog(officialMirrors(env));
  const unreachable = new Map<string, string>();
  // Two compilers at once on a small computer take longer than one after the other.
  const builds = new PQueue({ concurrency: 1 });
  return async (name) => {
    const binary = binaries[name];
    const tell = (detail: string): void => options.onProgress?.(name, detail);
    const found = (await fromEnvironment(binary, env)) ?? (await fromPath(binary, env));
    if (found !== undefined) return found;
    const target = options.platform ?? thisPlatform();
    const cache = join(cacheFolder(env), 'bin');
    const pathOf = (version: string): string => join(cache, `${name}-${version}-${target.os}-${target.arch}`);
    await mkdir(cache, { recursive: true });
    return withLock(`${pathOf(binary.version)}.lock`, tell, async () => {
      const cached = [binary.version, builtVersion(binary)].find((version) => existsSync(pathOf(version)));
      if (cached !== undefined) return { name, path: pathOf(cached), version: cached, source: 'cache' };
      const folder = await mkdtemp(join(cache, `.${name}-`));
      try {
        const { program, source } = await obtain(binary, target, folder);
        const version = source === 'go build' ? builtVersion(binary) : binary.version;
        await checkVersion(binary, { program, version }, target);
        const path = pathOf(version);
        await rename(program, path);
        return { name, path, version, source };
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });

    async function obtain(wanted: Binary, on: Platform, folder: string): Promise<{ program: string; source: Source }> {
      const refusals: string[] = [];
      const release = wanted.download(on);
      if (release === undefined) {
        refusals.push(`download: there is no official build for ${on.os}/${on.arch}`);
      } else {
        try {
          const deps = { unreachable, connectTimeoutMs: options.connectTimeoutMs ?? 4_000 };
          return { program: await downloadProgram(release, folder, deps, tell), source: 'download' };
        } catch (error) {
          refusals.push(`download: ${messageOf(error)}`);
          tell(`${messageOf(error)}; building it instead`);
        }
      }
      try {
        const program = await builds.add(() => buildProgram(wanted, folder, env, tell));
        return { program, source: 'go build' };
      } catch (error) {
        refusals.push(`go build: ${messageOf(error)}`);
      }
      throw new Error(howToGet(wanted, refusals));
    }
  };
}

export function thisPlatform(): Platform {
  const cpu: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };
  return { os: platform(), arch: cpu[arch()] ?? arch() };
}

async function fromEnvironment(binary: Binary, env: NodeJS.ProcessEnv): Promise<ResolvedBinary | undefined> {
  const path = env[binary.variable];
  if (path === undefined || path === '') return undefined;
  const version = await versionOf(binary, path);
  if (version === undefined) throw new Error(`${binary.variable} is ${path}, which does not run as ${binary.name}`);
  return { name: binary.name, path, version, source: 'environment' };
}

async function fromPath(binary: Binary, env: NodeJS.ProcessEnv): Promise<ResolvedBinary | undefined> {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const path of new Set(folders.map((folder) => join(folder, binary.name)))) {
    if (!existsSync(path)) continue;
    const version = await versionOf(binary, path);
    if (version !== undefined && binary.accepts(version)) return { name: binary.name, path, version, source: 'PATH' };
  }
  return undefined;
}

async function versionOf(binary: Binary, path: string): Promise<string | undefined> {
  const { all } = await execa(path, [...binary.versionArgs], { reject: false, all: true, timeout: 20_000 });
  // The exit code does not matter: a manager prints its version and then fails.
  return binary.versionPattern.exec(all ?? '')?.[1];
}

/** A program that does not run here, or has the wrong version, never gets into the cache. */
async function checkVersion(
  binary: Binary,
  { program, version }: { readonly program: string; readonly version: string },
  target: Platform,
): Promise<void> {
  const here = thisPlatform();
  if (target.os !== here.os || target.arch !== here.arch) return;
  const reported = await versionOf(binary, program);
  if (reported === version) return;
  throw new Error(`the new ${binary.name} reports version ${reported ?? 'none'}, not ${version}`);
}

function howToGet({ name, version, variable }: Binary, refusals: readonly string[]): string {
  const tries = refusals.map((refusal) => `  - ${refusal}`).join('\n');
  return `no source had ${name} ${version}:\n${tries}\nInstall it, or set ${variable} to its path.`;
}
