import { messageOf } from '../../domain/message-of.ts';
import { createMissing } from '../hosts/apply.ts';
import { fakeHosts } from '../hosts/manifests.ts';
import { type FixtureLab, type Lab, startLab } from '../lab.ts';
import type { ProgressEvent } from '../progress.ts';
import { interruptSignal } from '../terminal/interrupt.ts';
import type { FromLab, UpOptions } from './messages.ts';

/**
 * The lab of `temper lab up`: a process without a terminal that reports its progress to its starter and then keeps
 * running.
 */
const options = JSON.parse(process.argv[2] ?? '{}') as UpOptions;
const interrupt = interruptSignal();

try {
  const lab = await start();
  await createMissing(lab.endpoints.kubeconfig, fakeHosts(options.fakeHosts));
  tell({ kind: 'ready' });
  if (!interrupt.aborted) await new Promise((resolve) => interrupt.addEventListener('abort', resolve, { once: true }));
  await lab.stop();
  process.exit(0);
} catch (error) {
  tell({ kind: 'failed', message: messageOf(error) });
  process.exit(1);
}

function start(): Promise<Lab | FixtureLab> {
  const common = {
    dir: options.dir,
    temper: options.temper,
    clusterApi: options.clusterApi,
    restart: true,
    signal: interrupt,
    onProgress: (event: ProgressEvent) => tell({ kind: 'progress', event }),
    report: (name: string, message: string) =>
      void process.stdout.write(`${new Date().toISOString()} ${name}: ${message}\n`),
  };
  if (options.provisioner === 'fixture') return startLab({ ...common, provisioner: 'fixture' });
  return startLab({
    ...common,
    machines: options.hosts,
    proxy: options.proxy,
    discovery: options.discovery,
    ironicAuth: options.ironicAuth,
    ...(options.machinesFile === undefined ? {} : { machinesFile: options.machinesFile }),
  });
}

/** Sends a message to the starter. If the starter has ended, the lab continues. */
function tell(message: FromLab): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
