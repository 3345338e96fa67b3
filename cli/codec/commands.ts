import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { interruptSignal } from '../../lab/terminal/interrupt.ts';
import { proxiesOf } from '../../platform/config/proxy-settings.ts';
import { proxyFor } from '../../platform/proxies.ts';
import { endpointsOf, openKube } from '../access.ts';
import { DONE, OUT, orUnreachable, wrong } from '../out.ts';
import { printable } from '../printable.ts';
import { codecRequest } from './options.ts';
import { startCodecProxy } from './proxy.ts';
import { tokenOfKubeconfig, tokensOfAccount } from './token.ts';

/** Decodes payloads for a browser on this computer until Ctrl-C. Returns the exit code. */
export const codec = (args: readonly string[]): Promise<number> => {
  const request = codecRequest(args);
  if (request === undefined) return wrong(args);
  const { server, ca, port, account, namespace, labFolder } = request;
  return orUnreachable(async () => {
    const ended = interruptSignal();
    const endpoints = endpointsOf(labFolder);
    const kube = openKube(endpoints);
    const token =
      account === undefined
        ? tokenOfKubeconfig(process.env['KUBECONFIG'] ? undefined : endpoints.kubeconfig)
        : tokensOfAccount(kube, { namespace, name: account });
    try {
      // A missing token is told at once, and not in the browser.
      await token();
      const onRefused = (reason: string): void => OUT.aside(`temper: ${printable(reason)}`);
      const proxy = await startCodecProxy({
        server,
        ca: ca && (await readFile(ca, 'utf8')),
        proxy: proxyFor(server, proxiesOf(process.env)),
        port,
        token,
        onRefused,
      });
      OUT.aside('Enter this address in the Web UI, as the endpoint of its codec server. It is valid until Ctrl-C:');
      OUT.line(proxy.endpoint);
      if (!ended.aborted) await once(ended, 'abort');
      await proxy.close();
      return DONE;
    } finally {
      await kube.close();
    }
  });
};
