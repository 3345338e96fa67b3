import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { parse, stringify } from 'yaml';
import { credentialsIn, type Program } from '../../../../lab/rights.ts';
import { NAMESPACE } from '../place/namespace.ts';
import { type Gate, openGate, type Passage, type Upstream } from './gate.ts';

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
  readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
}

/** The gates between our processes and the servers of the shared lab, and the settings with which they use them. */
export interface Gates {
  readonly bridgeEnv: Readonly<Record<string, string>>;
  readonly workersEnv: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function openGates(passage: Passage): Promise<Gates> {
  const { dir, endpoints } = inject('sharedLab') ?? {};
  if (dir === undefined || endpoints === undefined) throw new Error('the project of this file shares no lab');
  const api = apiServerOf(parse(await readFile(endpoints.kubeconfig, 'utf8')) as Kubeconfig);
  const bridge = await openGate('bridge', api, passage);
  const workers = await openGate('workers', api, passage);
  const ironic =
    endpoints.ironicDirect === undefined
      ? undefined
      : await openGate('workers', { origin: new URL(endpoints.ironicDirect).origin }, passage);
  const accounts = credentialsIn(dir);
  const kubeconfigFor = async ({ url }: Gate, name: Program): Promise<string> => {
    const file = join(dir, `${NAMESPACE}-${name}-kubeconfig`);
    const { users } = parse(await readFile(accounts[name], 'utf8')) as Kubeconfig;
    await writeFile(file, kubeconfigOf(url, users[0]?.user ?? {}), { mode: 0o600 });
    return file;
  };
  return {
    bridgeEnv: { KUBECONFIG: await kubeconfigFor(bridge, 'bridge') },
    workersEnv: {
      KUBECONFIG: await kubeconfigFor(workers, 'workers'),
      ...(ironic && { IRONIC_ENDPOINT: `${ironic.url}/v1/` }),
    },
    async close() {
      await Promise.all([bridge, workers, ...(ironic === undefined ? [] : [ironic])].map((gate) => gate.close()));
    },
  };
}

const apiServerOf = ({ clusters: [first] }: Kubeconfig): Upstream => ({
  origin: first?.cluster['server'] ?? '',
  tls: { ca: Buffer.from(first?.cluster['certificate-authority-data'] ?? '', 'base64').toString() },
});

/** The token of the account goes with each request. */
const kubeconfigOf = (server: string, user: object): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'gate', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'gate', user }],
    contexts: [{ name: 'gate', context: { cluster: 'gate', user: 'gate', namespace: NAMESPACE } }],
    'current-context': 'gate',
  });
