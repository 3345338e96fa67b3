import { readFile } from 'node:fs/promises';
import { proxiesOf } from '../../platform/config/proxy-settings.ts';
import { proxyFor } from '../../platform/proxies.ts';
import { endpointsOf, withKube } from '../access.ts';
import { DONE, type Out, printable } from '../out.ts';
import type { CodecRequest } from './options.ts';
import { startCodecProxy } from './proxy.ts';
import { tokenOfKubeconfig, tokensOfAccount } from './token.ts';

/** Decodes payloads for a browser on this computer until Ctrl-C. Returns the exit code. */
export async function showPayloads(request: CodecRequest, out: Out): Promise<number> {
  const { server, ca, port, account, namespace, dir } = request;
  const endpoints = endpointsOf(dir);
  return withKube(endpoints, async (kube) => {
    const token =
      account === undefined
        ? tokenOfKubeconfig(process.env['KUBECONFIG'] ? undefined : endpoints.kubeconfig)
        : tokensOfAccount(kube, { namespace, name: account });
    // A missing token is told at once, and not in the browser.
    await token();
    const proxy = await startCodecProxy({
      server,
      ca: ca && (await readFile(ca, 'utf8')),
      proxy: proxyFor(server, proxiesOf(process.env)),
      port,
      token,
      onRefused: (reason) => out.aside(`temper: ${printable(reason)}`),
    });
    out.aside('Enter this address in the Web UI, as the endpoint of its codec server. It is valid until Ctrl-C:');
    out.line(proxy.endpoint);
    await interrupted();
    await proxy.close();
    return DONE;
  });
}

/** Resolves with Ctrl-C or SIGTERM. npm repeats what the terminal has sent, so the second one must not end us, too. */
const interrupted = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
