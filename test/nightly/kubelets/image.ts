import { join } from 'node:path';
import { execa } from 'execa';
import { ROOT } from '../../e2e/support/start.ts';

export interface BuiltImage {
  readonly name: string;
  /** Path of its OCI archive. */
  readonly archive: string;
}

/** Builds the image of this checkout by a command of the pages, but on stand-ins for its base images. */
export async function buildImage(command: string, folder: string): Promise<BuiltImage> {
  const [, name = ''] = /--name (\S+)/.exec(command) ?? [];
  const archive = join(folder, 'temper.tar');
  // In a virtual machine, root may lack the rights that other kinds of isolation need.
  const here = '--engine buildah --stand-in -- --isolation chroot --network host';
  await execa('bash', ['-euc', `${command.trim()} ${here}`], { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] });
  await execa('buildah', ['push', name, `oci-archive:${archive}:${name}`]);
  return { name, archive };
}
