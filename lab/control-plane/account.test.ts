import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { kubeconfigWith } from './account.ts';
import { kubeconfigText } from './kubeconfig.ts';

interface Written {
  readonly clusters: unknown;
  readonly users: unknown;
}

async function written(server?: string): Promise<Written> {
  const folder = await mkdtemp(join(tmpdir(), 'temper-account-'));
  try {
    const file = join(folder, 'kubeconfig');
    const admin = { server: 'https://127.0.0.1:1', ca: 'CA', user: { cert: 'C', key: 'K' } };
    await writeFile(file, kubeconfigText(admin, 'lab'));
    return parse(await kubeconfigWith('a-token', file, server)) as Written;
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('the kubeconfig of an account has its token alone, and the API server of the file or another one', async () => {
  const configOf = (server: string): object => ({
    clusters: [{ name: 'lab', cluster: { server, 'certificate-authority-data': 'Q0E=' } }],
    users: [{ name: 'lab', user: { token: 'a-token' } }],
  });
  const { clusters, users } = await written();
  expect({ clusters, users }).toEqual(configOf('https://127.0.0.1:1'));
  expect(await written('https://127.0.0.1:2')).toMatchObject(configOf('https://127.0.0.1:2'));
});
