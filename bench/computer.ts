import { readFile } from 'node:fs/promises';
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { execa } from 'execa';
import type { BinaryName } from '../lab/binaries/binary.ts';
import { createResolver } from '../lab/binaries/resolve.ts';

export interface ComputerFacts {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGiB: number;
  readonly system: string;
  /** Load average of the last minute, before the benchmark started anything. */
  readonly loadBefore: number;
}

export const computerFacts = (): ComputerFacts => ({
  cores: cpus().length,
  cpu: cpus()[0]?.model ?? 'unknown',
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${release()} ${arch()}`,
  loadBefore: loadavg()[0] ?? 0,
});

/**
 * The versions of the lab's parts as they run here; `temper` is the commit, with a mark when files differ from it.
 */
export async function versions(): Promise<Readonly<Record<string, string>>> {
  const requirements = await readFile(new URL('../lab/ironic/requirements.txt', import.meta.url), 'utf8');
  const pinned = (name: string): string => new RegExp(`^${name}==(.+)$`, 'm').exec(requirements)?.[1] ?? 'unknown';
  const resolve = createResolver();
  const versionOf = async (name: BinaryName): Promise<string> => (await resolve(name)).version;
  return {
    temper: await commitOf(import.meta.dirname),
    node: process.versions.node,
    ironic: pinned('ironic'),
    sushy: pinned('sushy'),
    'sushy-tools': pinned('sushy-tools'),
    temporal: await versionOf('temporal'),
    kubernetes: await versionOf('kube-apiserver'),
    etcd: await versionOf('etcd'),
  };
}

/** The commit of a checkout, with a mark when files differ from it. */
export async function commitOf(checkout: string): Promise<string> {
  const { stdout, failed } = await execa('git', ['describe', '--always', '--dirty'], {
    cwd: checkout,
    reject: false,
  });
  return failed ? 'unknown' : stdout;
}
