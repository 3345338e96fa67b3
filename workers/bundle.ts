import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BundleOptions, bundleWorkflowCode } from '@temporalio/worker';
import { execa } from 'execa';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The bundle of an image, made together with it (deploy/image/stage.ts). */
const BUILT = join(ROOT, 'workflow-bundle.js');
const CACHE = join(ROOT, 'node_modules', '.cache', 'temper');
/** The sources of the workflow bundle: our own folders, and the packages by their lock file. */
const SOURCES = ['workflows', 'domain', 'api'];

export interface WorkflowBundle {
  readonly code: string;
}

/** Names the workflow code: the same code has the same id, wherever it was bundled. */
export const buildIdOf = ({ code }: WorkflowBundle): string =>
  createHash('sha256').update(code).digest('hex').slice(0, 16);

/** Workflows have no configuration. Where a setting is on, the first text is replaced in the bundle by the second. */
const SWITCHES = {
  /** `workflows/failure-converter.ts` */
  encodesFailures: ['temper-failures-plain', 'temper-failures-encoded'],
  /** `workflows/versioning.ts` */
  hasVersions: ['temper-workers-unversioned', 'temper-workers-versioned'],
} as const;

/** The place of `temporalCommand` in the bundle: `domain/steering/details.ts`. */
const TEMPORAL_COMMAND = 'temporal-of-the-PATH';

interface BundleSettings extends Readonly<Record<keyof typeof SWITCHES, boolean>> {
  /** The beginning of the commands for Temporal that the details of runs show. */
  readonly temporalCommand?: string;
}

/** The bundle, with the texts for the settings that are on. */
export function configuredBundle(
  { code }: WorkflowBundle,
  { temporalCommand, ...settings }: BundleSettings,
): WorkflowBundle {
  let configured = code;
  const put = (place: string, text: string): void => {
    if (configured.split(place).length !== 2) throw new Error(`the workflow bundle does not contain ${place} once`);
    configured = configured.replace(place, () => text);
  };
  for (const name of Object.keys(SWITCHES) as (keyof typeof SWITCHES)[]) {
    const [off, on] = SWITCHES[name];
    put(off, settings[name] ? on : off);
  }
  put(TEMPORAL_COMMAND, temporalCommand === undefined ? TEMPORAL_COMMAND : inSource(temporalCommand));
  return { code: configured };
}

/** A text within any quotes of a source. */
const inSource = (text: string): string =>
  text.replaceAll(/[^\w .:/=@-]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * Each start of the workers reads the bundle and its source map several times, and each thread with workflows keeps
 * them. So the source map names files and lines alone. Modules become one where they can, without webpack's comments.
 */
const small = (config: Configuration): Configuration => ({
  ...config,
  devtool: 'inline-nosources-cheap-module-source-map',
  module: { ...config.module, rules: (config.module?.rules ?? []).map(forOurNode) },
  output: { ...config.output, pathinfo: false },
  optimization: { ...config.optimization, concatenateModules: true, usedExports: true, sideEffects: true },
});

type Configuration = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];
type Rule = NonNullable<NonNullable<Configuration['module']>['rules']>[number];

/** How the SDK's bundler translates TypeScript. */
const translation = z.looseObject({
  use: z.looseObject({ options: z.looseObject({ jsc: z.looseObject({ target: z.string() }) }) }),
});

/** For older engines, each module would get its own functions for `{ ...object }`, in which workflows spend their time. */
function forOurNode(rule: Rule): Rule {
  const { data } = translation.safeParse(rule);
  if (data === undefined) return rule;
  const { use } = data;
  const jsc = { ...use.options.jsc, target: 'es2022', minify: { format: { comments: false } } };
  return { ...data, use: { ...use, options: { ...use.options, jsc } } };
}

const inWorkflows = (file: string): string => join(ROOT, 'workflows', file);
const WORKFLOWS = inWorkflows('index.ts');
const INTERCEPTORS = ['log-interceptors.ts', 'trace-interceptors.ts'].map(inWorkflows);

/**
 * Builds the bundle with all workflow code; throws on code that is not deterministic (Node built-ins). No module of it
 * keeps anything, so all runs in a worker share them.
 */
export async function bundleWorkflows(): Promise<WorkflowBundle> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: WORKFLOWS,
    payloadConverterPath: inWorkflows('payload-converter.ts'),
    failureConverterPath: inWorkflows('failure-converter.ts'),
    workflowInterceptorModules: INTERCEPTORS,
    preloadModules: [WORKFLOWS, ...INTERCEPTORS],
    webpackConfigHook: small,
  });
  return { code: asciiOnly(code) };
}

/** V8 keeps a text with any other character in twice the memory, and each thread with workflows keeps the bundle. */
const asciiOnly = (code: string): string =>
  code.replaceAll(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Like `bundleWorkflows`, but uses the bundle of the image, or else the cache when no source has changed. */
export async function cachedBundle(): Promise<WorkflowBundle> {
  const built = await readFile(BUILT, 'utf8').catch(() => undefined);
  if (built !== undefined) return { code: built };
  const file = join(CACHE, `workflows-${await fingerprint()}.js`);
  const cached = await readFile(file, 'utf8').catch(() => undefined);
  if (cached !== undefined) return { code: cached };
  const bundle = await bundleInProcess();
  // Where the cache is not writable, the next start builds the bundle again.
  await keep(file, bundle.code).catch(() => undefined);
  return bundle;
}

/** The bundler leaves 200 MB in its process, which would stay with the workers as long as they run. */
async function bundleInProcess(): Promise<WorkflowBundle> {
  const program = fileURLToPath(new URL('./bundle-process.ts', import.meta.url));
  const { stdout } = await execa(process.execPath, [program], {
    stdin: 'ignore',
    stderr: 'inherit',
    stripFinalNewline: false,
  });
  return { code: stdout };
}

async function keep(file: string, code: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.${process.pid}`, code);
  await rename(`${file}.${process.pid}`, file);
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256').update(process.version);
  for (const file of [join(ROOT, 'package-lock.json'), fileURLToPath(import.meta.url)])
    hash.update(await readFile(file));
  for (const folder of SOURCES) {
    const files = (await readdir(join(ROOT, folder), { recursive: true })).filter((file) => file.endsWith('.ts'));
    for (const file of files.toSorted()) hash.update(file).update(await readFile(join(ROOT, folder, file)));
  }
  return hash.digest('hex').slice(0, 16);
}
