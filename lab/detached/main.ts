import { createMissing } from '../hosts/apply.ts';
import { fakeHosts } from '../hosts/manifests.ts';
import { startLab } from '../lab.ts';
import { interruptSignal } from '../terminal/interrupt.ts';
import type { FromLab, UpOptions } from './messages.ts';

/** The lab of `temper lab up`: a process without a terminal, which tells its starter how far it is and then runs on. */
const options = JSON.parse(process.argv[2] ?? '{}') as UpOptions;
const interrupt = interruptSignal();

try {
  const lab = await startLab({
    dir: options.dir,
    machines: options.hosts,
    temper: options.temper,
    proxy: options.proxy,
    ironicAuth: options.ironicAuth,
    ...(options.machinesFile === undefined ? {} : { machinesFile: options.machinesFile }),
    restart: true,
    signal: interrupt,
    onProgress: (event) => tell({ kind: 'progress', event }),
    report: (name, message) => process.stdout.write(`${new Date().toISOString()} ${name}: ${message}\n`),
  });
  await createMissing(lab.endpoints.kubeconfig, fakeHosts(options.fakeHosts));
  tell({ kind: 'ready' });
  if (!interrupt.aborted) await new Promise((resolve) => interrupt.addEventListener('abort', resolve, { once: true }));
  await lab.stop();
  process.exit(0);
} catch (error) {
  tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  process.exit(1);
}

/** The starter may be gone, which is no reason to end. */
function tell(message: FromLab): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
