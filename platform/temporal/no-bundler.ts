import { registerHooks } from 'node:module';

/** What the SDK bundles workflow code with. */
const PACKAGES: ReadonlySet<string> = new Set(['memfs', 'unionfs', 'webpack']);
/** The modules of the SDK that use them: bundler.js and the folder bundler. */
const BUNDLER = '/@temporalio/worker/lib/workflow/bundler';

/**
 * Loaded before our programs, in each of their threads. The SDK's worker loads its bundler of workflow code, even where
 * the bundle is made elsewhere (`workers/bundle.ts`): a tenth of the CPU time of a start. Here the bundler gets another
 * module, which is in each process anyway, instead of each of its packages.
 */
registerHooks({
  resolve: (specifier, context, next) =>
    PACKAGES.has(specifier) && context.parentURL?.includes(BUNDLER)
      ? { url: 'node:module', format: 'builtin', shortCircuit: true }
      : next(specifier, context),
});
