import { copyFile, cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { build, type Engine } from './engine.ts';
import { type Architecture, nativeModule } from './stage.ts';

/**
 * Stand-ins for the two images that the Dockerfile begins with, made of the programs and libraries of this machine: for
 * machines that reach no registry of images. Such an image is for tests alone.
 */

/** What the stages that build run, besides Node: npm begins with `env`. */
const PROGRAMS = ['/bin/sh', '/bin/mkdir', '/bin/chmod', '/usr/bin/env'];
const NODE = '/usr/local/bin/node';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

interface Root {
  /** By path in the image, the file of this machine. */
  readonly files: ReadonlyMap<string, string>;
  /** By path in the image, the folder of this machine. */
  readonly folders?: ReadonlyMap<string, string>;
  /** By path in the image, the target. */
  readonly links?: ReadonlyMap<string, string>;
}

/**
 * Builds both; returns their names by the Dockerfile's arguments. For other architectures they hold the same files:
 * what is built on these can be looked at, and not run.
 */
export async function buildStandIns(
  engine: Engine,
  builder: Architecture,
  others: readonly Architecture[],
  more: readonly string[],
): Promise<Readonly<Record<'NODE' | 'BASE', string>>> {
  const npm = dirname(dirname(await realpath(await pathOf('npm'))));
  const node: Root = {
    files: new Map([...(await filesOf(PROGRAMS, builder)), [NODE, process.execPath]]),
    folders: new Map([['/usr/local/lib/node_modules/npm', npm]]),
    links: new Map([['/usr/local/bin/npm', '../lib/node_modules/npm/bin/npm-cli.js']]),
  };
  const base: Root = { files: await filesOf([], builder) };
  const architectures = [...new Set([builder, ...others])];
  const tag = [process.versions.node, ...architectures].join('-');
  const nameOf = (of: string): string => `localhost/temper-stand-in-${of}:${tag}`;
  const made = { NODE: nameOf('node'), BASE: nameOf('base') };
  for (const [image, root] of [
    [made.NODE, node],
    [made.BASE, base],
  ] as const) {
    const folder = await mkdtemp(join(tmpdir(), 'temper-stand-in-'));
    try {
      const context = join(folder, 'root');
      await lay(context, root);
      const file = join(folder, 'Dockerfile');
      await writeFile(file, `FROM scratch\nCOPY . /\nENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}\n`);
      // From its cache podman 4.3 takes the image of one architecture for another one, where the files are the same.
      const options = ['--no-cache', ...more];
      await build(engine, { image, file, context, architectures, builder, bases: {}, more: options });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return made;
}

async function pathOf(program: string): Promise<string> {
  const { stdout } = await execa('sh', ['-c', 'command -v "$1"', 'sh', program]);
  return stdout;
}

/** Certificates, these programs, and the libraries that they, Node and the image's native module load. */
async function filesOf(programs: readonly string[], architecture: Architecture): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await execa('ldd', [process.execPath, nativeModule(architecture), ...programs]);
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
  return new Map([...programs, ...libraries, CERTIFICATES].map((path) => [path, path]));
}

async function lay(folder: string, { files, folders = new Map(), links = new Map() }: Root): Promise<void> {
  const at = async (path: string): Promise<string> => {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    return join(folder, path);
  };
  for (const [path, from] of files) await copyFile(from, await at(path));
  for (const [path, from] of folders) await cp(from, await at(path), { recursive: true, dereference: true });
  for (const [path, target] of links) await symlink(target, await at(path));
  await mkdir(join(folder, 'tmp'), { recursive: true });
  await writeFile(await at('/etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
}
