import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, type Plugin } from 'rolldown';
import { licensesOfPackages } from './licenses.ts';

/**
 * Bundles our programs, for the Dockerfile and for the plugin of kubectl. From its sources each process, and each of its
 * threads, would find, translate and link a thousand files when it starts.
 */

const ROOT = join(import.meta.dirname, '..', '..');

/** The programs of the image. */
export const PROGRAMS = {
  bridge: 'k8s-bridge/main.ts',
  workers: 'workers/main.ts',
  preload: 'platform/temporal/preload.ts',
} as const;

/**
 * Temporal's SDK loads native code, and programs of its threads by their files. What it shares with us must not be
 * loaded twice.
 */
const NOT_BUNDLED = [/^@temporalio\//, /^@grpc\//, /^protobufjs/];

export interface Bundling {
  /** Sources by the names of the programs. */
  readonly programs: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly extension: 'js' | 'mjs';
  /** The folder in it for all modules that programs share or load later. */
  readonly chunks: string;
  /** The packages that are loaded from `node_modules`. */
  readonly external?: readonly RegExp[];
  /** The first line of each program. */
  readonly firstLine?: string;
}

/** Writes the programs, what they share or load later, and the licenses of the packages in all of that. */
export async function bundle(bundling: Bundling): Promise<void> {
  const { programs, folder, extension, chunks, external = [], firstLine = '' } = bundling;
  await build({
    cwd: ROOT,
    input: { ...programs },
    external: [...external],
    platform: 'node',
    logLevel: 'warn',
    plugins: [programsByFile, licensesOfPackages],
    output: {
      dir: folder,
      format: 'esm',
      banner: ({ isEntry, name }) => (isEntry && name in programs ? firstLine : ''),
      entryFileNames: `[name].${extension}`,
      chunkFileNames: join(chunks, `[name]-[hash].${extension}`),
    },
  });
}

/** A program that a source names by its file, such as that of a thread, is bundled too. */
const programsByFile: Plugin = {
  name: 'programs by file',
  transform: {
    filter: { id: /\.ts$/, code: 'import.meta.url' },
    handler(code, id) {
      return code.replaceAll(/new URL\('([^']+\.ts)', import\.meta\.url\)/g, (_, file: string) => {
        const program = this.emitFile({ type: 'chunk', id: join(dirname(id), file) });
        return `new URL(import.meta.ROLLUP_FILE_URL_${program})`;
      });
    },
  },
};

/** In one folder, as deep as `workers/`: a source there looks for the workflow bundle above its own folder. */
export const bundleImage = (folder: string): Promise<void> =>
  bundle({ programs: PROGRAMS, folder, extension: 'js', chunks: '.', external: NOT_BUNDLED });

if (import.meta.main) {
  const { folder } = parseArgs({ options: { folder: { type: 'string' } } }).values;
  if (folder === undefined) throw new Error('usage: programs.ts --folder <empty folder>');
  await bundleImage(folder);
}
