import { Command } from 'commander';
import { messageOf } from '../domain/message-of.ts';
import { KUBELETS_STEPS, removeKubelets, startKubelets } from '../lab/kubelets/kubelets.ts';
import { whyNoKubelets } from '../lab/kubelets/requirements.ts';
import { interruptSignal } from '../lab/terminal/interrupt.ts';
import { withProgressList } from '../lab/terminal/progress-list.ts';

/** `npm run kubelets`: a cluster with real kubelets on this computer. */
const program = new Command('npm run kubelets --').description('A cluster of two nodes with real kubelets, as root.');

program
  .command('up')
  .description('Start the cluster, and end it with Ctrl-C.')
  .argument('[archives...]', 'OCI archives of the images that its nodes have')
  .action(async (images: readonly string[]) => {
    const why = whyNoKubelets();
    if (why !== undefined) throw new Error(why);
    const interrupt = interruptSignal();
    const report = (name: string, message: string): void => say(`${name}: ${message}`);
    const cluster = await withProgressList(KUBELETS_STEPS, (onProgress) =>
      startKubelets({ images, onProgress, report }),
    );
    const { kubeconfig, temporalAddress } = cluster.endpoints;
    say(`\nexport KUBECONFIG=${kubeconfig} TEMPORAL_ADDRESS=${temporalAddress}`);
    if (!interrupt.aborted)
      await new Promise((resolve) => interrupt.addEventListener('abort', resolve, { once: true }));
    await cluster.stop();
  });

program.command('down').description('Remove what is left of a cluster that crashed.').action(removeKubelets);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`npm run kubelets: ${messageOf(error)}\n`);
  process.exitCode = 1;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
