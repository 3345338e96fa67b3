import { existsSync } from 'node:fs';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { readManifestFile } from '../../lab/control-plane/manifest.ts';

export const PROCESSES = ['bridge', 'workers'] as const;
export type Process = (typeof PROCESSES)[number];

/** What the image of a checkout has, laid out in a folder. */
export interface Tree {
  readonly folder: string;
  /** With the arguments of the manifest. */
  readonly commands: Readonly<Record<Process, readonly string[]>>;
}

const deployment = z.object({
  spec: z.object({
    template: z.object({
      spec: z.object({
        containers: z.tuple([z.object({ command: z.array(z.string()), args: z.array(z.string()).default([]) })]),
      }),
    }),
  }),
});

/** Older checkouts have the sources in their image, newer ones bundled programs. */
const BUNDLER = 'deploy/image/programs.ts';
const stageModule = z.object({ SOURCES: z.array(z.string()) });

/** Lays out the tree of a checkout's image, with the packages of the checkout. */
export async function layTree(root: string, folder: string): Promise<Tree> {
  await mkdir(folder, { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
  const node = (...args: readonly string[]) => execa(process.execPath, args, { cwd: root, stdin: 'ignore' });
  await writeFile(join(folder, 'workflow-bundle.js'), (await node('workers/bundle-process.ts')).stdout);
  if (existsSync(join(root, BUNDLER))) await node(BUNDLER, '--folder', join(folder, 'programs'));
  else {
    const { SOURCES } = stageModule.parse(await import(join(root, 'deploy/image/stage.ts')));
    for (const source of SOURCES) await cp(join(root, source), join(folder, source), { recursive: true });
  }
  return { folder, commands: { bridge: commandOf(root, 'bridge'), workers: commandOf(root, 'workers') } };
}

function commandOf(root: string, name: Process): readonly string[] {
  const found = readManifestFile(join(root, 'deploy/kubernetes/base', `${name}.yaml`)).find(
    ({ kind }) => kind === 'Deployment',
  );
  const [{ command, args }] = deployment.parse(found).spec.template.spec.containers;
  return [...command, ...args];
}
