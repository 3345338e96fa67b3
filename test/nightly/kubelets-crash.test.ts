import { existsSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeEach, expect, test } from 'vitest';
import { withKube } from '../../lab/control-plane/objects.ts';
import { NODES } from '../../lab/kubelets/addresses.ts';
import { cgroupOf } from '../../lab/kubelets/cgroups.ts';
import { FOLDER } from '../../lab/kubelets/kubelets.ts';
import { KERNEL_SETTINGS } from '../../lab/kubelets/namespaces.ts';
import { HOST_LINK } from '../../lab/kubelets/network.ts';
import { PAUSE } from '../../lab/kubelets/pause.ts';
import { whyNoKubelets } from '../../lab/kubelets/requirements.ts';
import { LAB_DIR_VARIABLE } from '../../lab/supervisor/stale.ts';
import { ROOT } from '../e2e/support/start.ts';

const whyNot = whyNoKubelets();
beforeEach(({ skip }) => skip(whyNot !== undefined, whyNot));

/** What there is of a cluster on this computer: processes, mounts, links, routes, cgroups, files. */
async function remains(): Promise<readonly string[]> {
  const { stdout: links } = await execa('ip', ['-brief', 'link']);
  const { stdout: routes } = await execa('ip', ['route']);
  const mounts = await readFile('/proc/self/mounts', 'utf8');
  const hierarchies = (await readdir('/sys/fs/cgroup')).map((name) => join('/sys/fs/cgroup', name));
  const cgroups = hierarchies.flatMap((path) => NODES.map((node) => join(path, cgroupOf(node))));
  return [
    ...(await processes()),
    ...[links, routes, mounts]
      .flatMap((text) => text.split('\n'))
      .filter((line) => line.includes(HOST_LINK) || line.includes(FOLDER)),
    ...[...cgroups, FOLDER, '/run/containerd', '/var/lib/cni', '/opt/containerd'].filter((path) => existsSync(path)),
  ];
}

/** Processes that the supervisor started, and those in network namespaces other than ours: in containers. */
async function processes(): Promise<readonly string[]> {
  const own = await readlink('/proc/self/ns/net');
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const environment = await readFile(join('/proc', pid, 'environ'), 'utf8').catch(() => '');
    const network = await readlink(join('/proc', pid, 'ns/net')).catch(() => own);
    if (environment.includes(`${LAB_DIR_VARIABLE}=${FOLDER}`) || network !== own)
      found.push(await readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => ''));
  }
  return found;
}

/** Those that a kubelet changes. */
const kernelSettings = async (): Promise<string> =>
  (await Promise.all(Object.keys(KERNEL_SETTINGS).map((name) => readFile(`/proc/sys/${name}`, 'utf8')))).join('');

/** A Pod on each node. */
const PODS = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'sleepers' },
  spec: {
    selector: { matchLabels: { app: 'sleepers' } },
    template: {
      metadata: { labels: { app: 'sleepers' } },
      spec: { containers: [{ name: 'sleeper', image: PAUSE }] },
    },
  },
};

test('nothing of a cluster of kubelets is left once it is removed, although its program was killed', async () => {
  const [before, settings] = [await remains(), await kernelSettings()];
  const up = execa('node', ['scripts/kubelets.ts', 'up'], { cwd: ROOT, reject: false, all: true, buffer: false });
  const printed = await new Promise<string>((resolve, reject) => {
    let text = '';
    up.all.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('export KUBECONFIG=')) resolve(text);
    });
    up.finally(() => reject(new Error(`the cluster did not start: ${text}`))).catch(() => undefined);
  });
  const [, kubeconfig = ''] = /KUBECONFIG=(\S+)/.exec(printed) ?? [];
  await withKube(kubeconfig, async (kube) => {
    await kube.request({ method: 'POST', path: '/apis/apps/v1/namespaces/default/daemonsets', body: PODS });
    const path = '/apis/apps/v1/namespaces/default/daemonsets/sleepers';
    await expect.poll(() => kube.request({ path })).toMatchObject({ status: { numberAvailable: NODES.length } });
  });
  expect(await kernelSettings()).toBe(settings);

  up.kill('SIGKILL');
  await up;
  expect(await remains()).not.toEqual(before);
  await execa('node', ['scripts/kubelets.ts', 'down'], { cwd: ROOT });

  expect(await remains()).toEqual(before);
});
