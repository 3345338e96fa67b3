import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { execa } from 'execa';
import type { Architecture } from './stage.ts';

/** The engines that can build the image, in the order in which they are tried. */
export const ENGINES = ['docker', 'podman', 'buildah'] as const;
export type Engine = (typeof ENGINES)[number];

/** How each says that it can build: Docker's server answers, the storage of the others can be used. */
const QUESTION: Readonly<Record<Engine, string>> = { docker: 'version', podman: 'info', buildah: 'info' };

/** What decides on a machine whether an engine can build there. */
export interface Machine {
  readonly user: string;
  readonly isRoot: boolean;
  /** The texts of /etc/subuid and /etc/subgid. */
  readonly subordinateIds: readonly string[];
  /** The last line that a program printed when it failed; undefined when it did not. */
  complaint(program: string, args: readonly string[]): Promise<string | undefined>;
}

/** The first engine of these that can build; throws with what each of them lacks. */
export async function findEngine(machine: Machine, engines: readonly Engine[] = ENGINES): Promise<Engine> {
  const problems: string[] = [];
  for (const engine of engines) {
    const problem = await problemOf(engine, machine);
    if (problem === undefined) return engine;
    problems.push(`  - ${engine}: ${problem}`);
  }
  throw new Error(`no engine can build the image here:\n${problems.join('\n')}`);
}

async function problemOf(engine: Engine, machine: Machine): Promise<string | undefined> {
  const { user, isRoot, subordinateIds } = machine;
  const complaint = await machine.complaint(engine, [QUESTION[engine]]);
  if (complaint !== undefined) return complaint;
  // Docker builds as the user of its server.
  if (engine === 'docker' || isRoot) return undefined;
  if (subordinateIds.every((text) => text.split('\n').some((line) => line.startsWith(`${user}:`)))) return undefined;
  const ids = '100000-165535';
  return `${user} has no subordinate ids in /etc/subuid and /etc/subgid: usermod --add-subuids ${ids} --add-subgids ${ids} ${user}, or be root`;
}

export async function thisMachine(): Promise<Machine> {
  const { username: user, uid } = userInfo();
  const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');
  return {
    user,
    isRoot: uid === 0,
    subordinateIds: [await textOf('/etc/subuid'), await textOf('/etc/subgid')],
    complaint: async (program, args) => {
      const { failed, code, all } = await execa(program, args, { reject: false, all: true, timeout: 60_000 });
      if (code === 'ENOENT') return 'is not installed';
      return failed ? (all?.trim().split('\n').at(-1) ?? 'does not answer') : undefined;
    },
  };
}

export interface Build {
  /** The name of the new image. */
  readonly image: string;
  readonly file: string;
  /** The folder whose files the image is made of. */
  readonly context: string;
  readonly architectures: readonly Architecture[];
  /** The architecture of the machine that builds. */
  readonly builder: Architecture;
  /** By argument of the Dockerfile, the images that take the place of its own. */
  readonly bases: Readonly<Record<string, string>>;
  /** The commit of the files; undefined when it is not known. */
  readonly revision?: string | undefined;
  /** Further arguments for the engine. */
  readonly more: readonly string[];
}

/** With several architectures podman and buildah make a list of images, docker a tag that is one. */
export const buildArguments = (
  engine: Engine,
  { image, file, context, architectures, builder, bases, revision, more }: Build,
): readonly string[] => [
  'build',
  '--file',
  file,
  '--platform',
  architectures.map((architecture) => `linux/${architecture}`).join(','),
  // Podman and buildah, up to 1.28 at least, would run the stages of the builder on the architecture of the image.
  ...(engine === 'docker' ? [] : ['--build-arg', `BUILDPLATFORM=linux/${builder}`]),
  ...Object.entries(bases).flatMap(([name, base]) => ['--build-arg', `${name}=${base}`]),
  ...(revision === undefined ? [] : ['--build-arg', `REVISION=${revision}`]),
  architectures.length > 1 && engine !== 'docker' ? '--manifest' : '--tag',
  image,
  // The others keep the result of each step without being told.
  ...(engine === 'buildah' ? ['--layers'] : []),
  ...more,
  context,
];

/** Builds an image, and shows what the engine prints. */
export async function build(engine: Engine, what: Build): Promise<void> {
  const args = buildArguments(engine, what);
  process.stdout.write(`${[engine, ...args].join(' ')}\n`);
  // A list that is there already would keep the images of earlier builds.
  if (args.includes('--manifest')) await execa(engine, ['manifest', 'rm', what.image], { reject: false });
  // Older releases of Docker know cache mounts only like this.
  await execa(engine, args, { stdio: ['ignore', 'inherit', 'inherit'], env: { DOCKER_BUILDKIT: '1' } });
}
