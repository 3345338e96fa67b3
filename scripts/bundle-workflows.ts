import { bundleWorkflows } from '../workers/bundle.ts';

/** Fails when the bundler finds workflow code that is not deterministic. */
const { code } = await bundleWorkflows();
process.stdout.write(`workflow bundle: ${Math.round(code.length / 1024)} KiB\n`);
