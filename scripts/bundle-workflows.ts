import { bundleWorkflows } from '../workers/bundle.ts';

/** Fails when workflow code is not deterministic as far as a bundler can see. */
const { code } = await bundleWorkflows();
process.stdout.write(`workflow bundle: ${Math.round(code.length / 1024)} KiB\n`);
