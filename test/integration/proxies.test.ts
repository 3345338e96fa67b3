import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { type ConnectProxy, openConnectProxy } from '../builders/connect-proxy.ts';
import { openScene, PATIENCE, type Scene } from './bridge/harness.ts';
import { sharedControlPlane } from './control-plane.ts';
import { startProgram } from './programs.ts';

/** Bridge and workers whose API server and Temporal have names that only a proxy resolves. */
const API_SERVER = 'kube.invalid:6443';
const TEMPORAL = 'temporal.invalid:7233';

const kubeconfig = z.looseObject({
  clusters: z.tuple([z.looseObject({ cluster: z.looseObject({ server: z.string() }) })]),
});

let folder: string;
let scene: Scene;
let proxy: ConnectProxy;
const started: ReturnType<typeof startProgram>[] = [];

beforeAll(async () => {
  scene = await openScene(sharedControlPlane());
  const { temporalAddress, temporalNamespace } = sharedControlPlane();
  const config = kubeconfig.parse(parse(await readFile(inject('kubeconfig'), 'utf8')));
  const [{ cluster }] = config.clusters;
  proxy = await openConnectProxy({ [API_SERVER]: new URL(cluster.server).host, [TEMPORAL]: temporalAddress });
  Object.assign(cluster, { server: `https://${API_SERVER}`, 'tls-server-name': 'localhost' });
  folder = await mkdtemp(join(tmpdir(), 'temper-proxies-'));
  const KUBECONFIG = join(folder, 'kubeconfig');
  await writeFile(KUBECONFIG, stringify(config), { mode: 0o600 });
  const env = {
    KUBECONFIG,
    TEMPORAL_ADDRESS: TEMPORAL,
    TEMPORAL_NAMESPACE: temporalNamespace,
    WATCH_NAMESPACE: scene.namespace,
    POD_NAMESPACE: scene.namespace,
    PROVISIONER: 'fixture',
    WEBHOOK_PORT: '0',
    HEALTH_ADDR: '127.0.0.1:0',
    METRICS_ADDR: '0',
    // As many set it, in lower case.
    https_proxy: `http://${proxy.address}`,
  };
  for (const program of ['bridge', 'workers'] as const) started.push(startProgram(program, env));
});
afterAll(async () => {
  for (const process of started) process.kill('SIGTERM');
  await Promise.all(started);
  await proxy?.close();
  await scene?.end();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

describe('bridge and workers behind a proxy', () => {
  test('make a host available', async () => {
    await scene.createSecret('bmc');
    await scene.createHost('behind', {
      spec: { online: true, bmc: { address: 'redfish://192.0.2.1/redfish/v1/Systems/1', credentialsName: 'bmc' } },
    });
    await expect.poll(async () => (await scene.host('behind'))?.status?.provisioning.state, PATIENCE).toBe('available');
    expect(new Set(proxy.tunnels)).toEqual(new Set([API_SERVER, TEMPORAL]));
    expect(proxy.forwarded).toEqual([]);
  });
});
