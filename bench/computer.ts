import { readFile } from 'node:fs/promises';
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { execa } from 'execa';
import { officialMirrors } from '../lab/binaries/binary.ts';
import { catalog } from '../lab/binaries/catalog.ts';

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

/** The pinned versions of the lab's parts; `temper` is the commit, with a mark when files were changed since. */
export async function versions(): Promise<Readonly<Record<string, string>>> {
  const requirements = await readFile(new URL('../lab/ironic/requirements.txt', import.meta.url), 'utf8');
  const pinned = (name: string): string => new RegExp(`^${name}==(.+)$`, 'm').exec(requirements)?.[1] ?? 'unknown';
  const binaries = catalog(officialMirrors(process.env));
  return {
    temper: await commitOf(import.meta.dirname),
    node: process.versions.node,
    ironic: pinned('ironic'),
    sushy: pinned('sushy'),
    'sushy-tools': pinned('sushy-tools'),
    temporal: binaries.temporal.version,
    kubernetes: binaries['kube-apiserver'].version,
    etcd: binaries.etcd.version,
  };
}

/** The commit of a checkout, with a mark when files were changed since. */
export async function commitOf(checkout: string): Promise<string> {
  const { stdout, failed } = await execa('git', ['describe', '--always', '--dirty'], {
    cwd: checkout,
    reject: false,
  });
  return failed ? 'unknown' : stdout;
}
