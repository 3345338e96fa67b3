import { bundleWorkflows } from './bundle.ts';

/** Writes the bundle to stdout; the process of the workers starts it and reads it. */
const { code } = await bundleWorkflows();
process.stdout.write(code);
