import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { Binary } from './binary.ts';

/** What is built; the lab's own programs are in the catalog. */
type Built = Pick<Binary, 'build' | 'version'> & { readonly name: string };

/** The version of the program that is built. */
export const builtVersion = ({ build, version }: Pick<Built, 'build' | 'version'>): string => build.version ?? version;

/** Builds a program from its pinned module with the installed Go; the program is `folder/program`. */
export async function buildProgram(
  binary: Built,
  folder: string,
  env: NodeJS.ProcessEnv,
  onProgress: (detail: string) => void,
): Promise<string> {
  await requireGo(env);
  const { build, name } = binary;
  const version = builtVersion(binary);
  const program = join(folder, 'program');
  const cwd = goModule(build.module);
  const args = ['build', '-mod=readonly', '-trimpath', '-ldflags', build.ldflags, '-o', program, build.package];
  onProgress(`building ${version} from its Go module (minutes, the first time)`);
  const building = execa('go', args, {
    cwd,
    env: { ...env, CGO_ENABLED: '0', GOWORK: 'off' },
    extendEnv: false,
    reject: false,
    all: true,
  });
  let modules = 0;
  building.stderr.on('data', (chunk: Buffer) => {
    modules += chunk.toString().split('go: downloading').length - 1;
    onProgress(`building ${version} from its Go module (${modules} modules downloaded)`);
  });
  const { failed, all } = await building;
  if (failed)
    throw new Error(`go build of ${name} ${version} in ${cwd} failed: ${all.split('\n').slice(-8).join('\n')}`);
  return program;
}

/** Folder of the committed `go.mod` with this name. */
const goModule = (name: string): string => fileURLToPath(new URL(`./go/${name}`, import.meta.url));

/**
 * Folder with the sources of a Go module, named with its version (`example.com/a@v1.2.3`), as downloaded from the
 * module proxy.
 */
export async function goSources(module: string, env: NodeJS.ProcessEnv): Promise<string> {
  await requireGo(env);
  const { stdout } = await execa('go', ['mod', 'download', '-json', module], {
    cwd: goModule('cluster-api'),
    env: { ...env, GOWORK: 'off' },
    extendEnv: false,
  });
  return (JSON.parse(stdout) as { readonly Dir: string }).Dir;
}

async function requireGo(env: NodeJS.ProcessEnv): Promise<void> {
  const { failed } = await execa('go', ['version'], { env, extendEnv: false, reject: false });
  if (failed) throw new Error('Go is not installed (https://go.dev/dl)');
}
