import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { z } from 'zod';
import { LEASES } from '../../domain/other-operators/running.ts';
import { createResolver } from '../../lab/binaries/resolve.ts';
import { auditedRequests, auditLogOf } from '../../lab/control-plane/audit.ts';
import { type KubeletNode, NODES } from '../../lab/kubelets/addresses.ts';
import { FOLDER, type Kubelets, startKubelets } from '../../lab/kubelets/kubelets.ts';
import { whyNoKubelets } from '../../lab/kubelets/requirements.ts';
import { HOME } from '../../lab/rights.ts';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { linkCheckout } from '../e2e/support/checkout.ts';
import { fixtureHost, fixtureSecret, IMAGE } from '../e2e/support/fixture.ts';
import { type MachineRecords, watchMachines } from '../e2e/support/fixture-machines.ts';
import { type AnyLab, apply, editHost, hostIn, hostThat, kubectl } from '../e2e/support/hosts.ts';
import { withKube } from '../e2e/support/lab.ts';
import { ROOT } from '../e2e/support/start.ts';
import { blockOf, createShell, stepsOf } from '../e2e/support/versions/procedure.ts';
import { askForAdmission } from './kubelets/admission.ts';
import { everything } from './kubelets/everything.ts';
import { buildImage } from './kubelets/image.ts';

/**
 * The image on two real kubelets, by the commands of the pages: installation of the chart and of a kustomization, an
 * upgrade to another tag of the same image, the way back, and what is left at the end. Machines are those of the fixture.
 */
const INSTALLATION = 'docs/installation.md';
const UPGRADE = 'docs/operations/upgrade.md';
/** As in the commands of the page. */
const NAME = 'registry.example.com/temper';
const FIRST_TAG = '1.14.99';
const OTHER_TAG = '1.15.0';
const record = recordCommands('test/nightly/kubelets.test.ts');
const whyNot = whyNoKubelets();
let folder: string;
let cluster: Kubelets & AnyLab;
/** What there is before anything is installed. */
let before: readonly string[];
let machines: MachineRecords;
/** In the folder that contains the checkout. */
let run: (commands: string) => Promise<string>;

beforeEach(({ skip }) => skip(whyNot !== undefined, whyNot));
beforeAll(async () => {
  if (whyNot !== undefined) return;
  folder = await mkdtemp(join(tmpdir(), 'temper-installed-'));
  await linkCheckout(ROOT, folder);
  const build = await blockOf(INSTALLATION, 'npm run image -- --name');
  const image = await timed('the image is built', () => buildImage(build, folder));
  cluster = withKube(await timed('both nodes are ready', () => startKubelets({ images: [image.archive] })));
  for (const tag of [FIRST_TAG, OTHER_TAG]) await cluster.tag(image.name, `${NAME}:${tag}`);
  before = await everything(cluster);
  machines = watchMachines(cluster.kube);
  const shell = record.shell(await createShell(folder, cluster.endpoints));
  await symlink((await createResolver()('helm')).path, join(folder, 'bin', 'helm'));
  const variables = { username: 'any', password: 'any', HELM_CACHE_HOME: folder };
  run = (commands) => shell(`cd '${folder}'\n${commands}`, variables);
});
afterAll(async () => {
  machines?.close();
  await cluster?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

/** Times are printed: they depend on the computer. */
async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const began = Date.now();
  const result = await work();
  process.stdout.write(`${what} after ${Math.round((Date.now() - began) / 1000)} s\n`);
  return result;
}

/** Writes the user's kustomization with this tag of the image. */
const choose = (tag: string): Promise<void> =>
  writeFile(
    join(folder, 'kustomization.yaml'),
    stringify({
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: ['temper/deploy/kubernetes/base'],
      components: ['self-managed', 'fixture'].map((name) => `temper/deploy/kubernetes/components/${name}`),
      images: [{ name: 'image-not-set.invalid/temper', newName: NAME, newTag: tag }],
    }),
  );
/** Writes the user's values for Helm with this tag of the image. */
const chooseValues = (tag: string): Promise<void> =>
  writeFile(
    join(folder, 'temper', 'values.yaml'),
    stringify({ image: { tag }, webhooks: { certificates: 'self-managed' }, components: ['fixture'] }),
  );

const pods = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()), deletionTimestamp: z.string().optional() }),
      spec: z.object({ nodeName: z.string().optional(), containers: z.array(z.object({ image: z.string() })) }),
      status: z.object({
        containerStatuses: z.array(z.object({ ready: z.boolean(), restartCount: z.number() })).default([]),
      }),
    }),
  ),
});

/** Of each Pod that stays: its part of Temper, its node, its image, whether it is ready, and restarts. */
async function podsOf(): Promise<readonly object[]> {
  const { items } = pods.parse(await cluster.kube.request({ path: `/api/v1/namespaces/${HOME}/pods` }));
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata, spec, status }) => ({
      part: metadata.labels['app.kubernetes.io/component'],
      node: spec.nodeName,
      images: spec.containers.map(({ image }) => image),
      containers: status.containerStatuses,
    }))
    .toSorted((a, b) => (`${a.part} ${a.node}` < `${b.part} ${b.node}` ? -1 : 1));
}

/** Waits for two Pods of each part, on these nodes, all ready and none restarted. */
const readyPods = (tag: string, nodes: readonly KubeletNode[] = NODES): readonly object[] => {
  const containers = [{ ready: true, restartCount: 0 }];
  const images = [`${NAME}:${tag}`];
  return ['bridge', 'workers'].flatMap((part) => nodes.map(({ name: node }) => ({ part, node, images, containers })));
};
const everyPodReady = (tag: string, nodes?: readonly KubeletNode[]): Promise<void> =>
  expect.poll(podsOf).toEqual(readyPods(tag, nodes));

const deploy = (names: readonly string[]): Promise<string> =>
  apply(cluster, ...names.flatMap((name) => [fixtureSecret(name), fixtureHost(name, { image: IMAGE })]));
const provisioned = (names: readonly string[]): Promise<unknown> =>
  Promise.all(names.map((name) => hostIn(cluster, name, 'provisioned')));

const IN_HOME = ['--namespace', HOME];
const BY_CHART = 'by-chart';
const CLEANED = ['first-0', 'first-1'] as const;
const KEPT = ['first-2', 'first-3', 'first-4'] as const;
const FIRST = [...CLEANED, ...KEPT];
/** What docs/installation.md says that stays, and what belongs to it. */
const STAYS = [
  /^customresourcedefinition\./,
  // One for each version of the CRDs.
  /^apiservice\.\S*\.(?:metal3\.io|x-k8s\.io)$/,
  /^(?:baremetalhost|hardwaredata)\.metal3\.io\//,
  /^secret\/\S+-bmc$/,
  // Machines of the fixture.
  /^configmap\/temporary-fake-id-/,
];

const linesOf = (block: string): readonly string[] => block.split('\n').filter((line) => line !== '');

describe('on two kubelets', () => {
  test('the commands of the page install the chart, and all its Pods become ready', async () => {
    await chooseValues(FIRST_TAG);
    const build = await blockOf(INSTALLATION, 'npm run package -- --image');
    const install = await blockOf(INSTALLATION, 'kubectl apply -f deploy/kubernetes/base/namespace.yaml');
    await run(`cd temper\n${build}`);
    const printed = await timed('the chart is installed', () => run(`cd temper\n${install}`));
    expect(printed).not.toMatch(/warning|error/i);
    await timed('all Pods are ready', () => everyPodReady(FIRST_TAG));
    await timed('a host is provisioned', async () => {
      await deploy([BY_CHART]);
      await provisioned([BY_CHART]);
    });
  });

  test('the command of the page upgrades the chart, and then nothing runs of it', async () => {
    await chooseValues(OTHER_TAG);
    const upgrade = await blockOf(INSTALLATION, 'helm upgrade temper');
    await timed('the chart is upgraded', () => run(`cd temper\n${upgrade}`));
    await timed('all Pods are ready', () => everyPodReady(OTHER_TAG));
    expect(machines.told(BY_CHART)).toMatchObject({ active: 1 });
    // Pods that still run without their rights would be refused.
    await run(`kubectl delete deployments --all --cascade=foreground --namespace ${HOME}`);
    await run(`helm uninstall temper --namespace ${HOME}\nkubectl delete namespace ${HOME}`);
  });

  test('the commands of the page install Temper, and all its Pods become ready', async () => {
    await choose(FIRST_TAG);
    const commands = await blockOf(INSTALLATION, 'kubectl create namespace temper-system');
    const printed = await timed('Temper is applied', () => run(commands));
    expect(printed).not.toMatch(/warning|error/i);
    await timed('all Pods are ready', () => everyPodReady(FIRST_TAG));
  });

  test('five hosts are provisioned', async () => {
    await timed('five hosts are provisioned', async () => {
      await deploy(FIRST);
      await provisioned(FIRST);
    });
    expect(FIRST.map((name) => machines.told(name)['active'])).toEqual(FIRST.map(() => 1));
  });

  /**
   * Runs the commands while a host is deployed and another one cleaned from before the first to after the last, and a
   * new host comes with each command.
   */
  async function whileHostsAreAtWork(wave: string, cleaned: string, commands: readonly string[]): Promise<void> {
    const slow = `${wave}-slow`;
    const others = commands.map((_, index) => `${wave}-${index}`);
    const holds = [machines.hold(slow, 'wait call-back'), machines.hold(cleaned, 'deleting')];
    await deploy([slow]);
    await editHost(cluster, cleaned, { image: null });
    expect(await Promise.all(holds.map(({ held }) => held))).toEqual([true, true]);

    const admission = askForAdmission(cluster.kube);
    for (const [index, command] of commands.entries()) {
      await deploy(others.slice(index, index + 1));
      await timed(command, () => run(command));
    }
    for (const hold of holds) await hold.release();
    await provisioned([slow, ...others]);
    await hostIn(cluster, cleaned, 'available');
    const { asked, refused } = await admission.stop();

    process.stdout.write(`${asked} requests for admission\n`);
    expect(refused).toEqual([]);
    const usual = machines.told(KEPT[0]);
    for (const name of [slow, ...others]) expect({ [name]: machines.told(name) }).toEqual({ [name]: usual });
    expect(machines.told(cleaned)).toMatchObject({ active: 1, deleted: 1 });
  }

  test('another image takes over by the steps of the page, and what is in flight goes on', async () => {
    await choose(OTHER_TAG);
    const steps = await stepsOf(UPGRADE, 'An upgrade without versions');
    expect(steps).toHaveLength(4);
    await whileHostsAreAtWork('upgrade', CLEANED[0], linesOf(steps.join('')));
    await everyPodReady(OTHER_TAG);
  });

  test('the image before takes over again by the commands of the page, and what is in flight goes on', async () => {
    await choose(FIRST_TAG);
    const back = await blockOf(UPGRADE, 'kubectl apply --server-side -k . -l app.kubernetes.io/component=webhooks');
    await whileHostsAreAtWork('back', CLEANED[1], linesOf(back));
    await everyPodReady(FIRST_TAG);
    expect(machines.told(KEPT[0])).toMatchObject({ active: 1 });
  });

  test('Pods that are killed are replaced, and what is in flight goes on', async () => {
    const slow = 'killed-slow';
    const hold = machines.hold(slow, 'wait call-back');
    await deploy([slow]);
    expect(await hold.held).toBe(true);
    const leader = await kubectl(cluster, [
      ...IN_HOME,
      'get',
      'lease',
      LEASES.elected,
      '-o=jsonpath={.spec.holderIdentity}',
    ]);
    const workers = await kubectl(cluster, [
      ...IN_HOME,
      'get',
      'pods',
      '-l=app.kubernetes.io/component=workers',
      '-o=name',
    ]);
    const killed = [`pod/${leader}`, ...linesOf(workers).slice(0, 1)];
    await timed(`a host is provisioned although ${killed.join(' and ')} were killed`, async () => {
      await kubectl(cluster, [...IN_HOME, 'delete', '--force', '--grace-period=0', ...killed]);
      await hold.release();
      await provisioned([slow]);
    });
    await everyPodReady(FIRST_TAG);
    expect(machines.told(slow)).toMatchObject({ active: 1 });
  });

  test('bridges with a tenth of a core become ready, without a restart', async () => {
    const limitTo = (cpu: string) =>
      timed(`bridges with a limit of ${cpu} are ready`, async () => {
        await kubectl(cluster, [...IN_HOME, 'set', 'resources', 'deployment/temper-bridge', `--limits=cpu=${cpu}`]);
        await kubectl(cluster, [...IN_HOME, 'rollout', 'status', 'deployment/temper-bridge']);
      });
    await limitTo('100m');
    await expect.poll(podsOf).toEqual(readyPods(FIRST_TAG));
    await limitTo('2');
    await expect.poll(podsOf).toEqual(readyPods(FIRST_TAG));
  });

  test('nodes that are drained lose their Pods one by one, and no request is refused', async () => {
    for (const [{ name }, other] of [NODES, [NODES[1], NODES[0]]] as const) {
      const admission = askForAdmission(cluster.kube);
      await timed(`${name} is drained`, () => kubectl(cluster, ['drain', name, '--delete-emptydir-data']));
      await everyPodReady(FIRST_TAG, [other, other]);
      expect((await admission.stop()).refused).toEqual([]);
      await kubectl(cluster, ['uncordon', name]);
    }
  });

  test('the hosts that nobody changed were left alone', () => {
    for (const name of [BY_CHART, ...KEPT]) {
      expect(machines.told(name)).toMatchObject({ active: 1 });
      expect(machines.told(name)).not.toHaveProperty('deleted');
    }
  });

  test('the commands of the page take Temper away, and leave nothing but what it says', async () => {
    const hosts = linesOf(await kubectl(cluster, ['get', 'bmh', '--output=name'])).map((name) => basename(name));
    const told = hosts.map((name) => machines.told(name));
    const commands = await blockOf(INSTALLATION, 'npx temper uninstall');
    const printed = await timed('Temper is taken away', () => run(commands));
    const rest = linesOf(printed.slice(printed.lastIndexOf('What is left'))).filter((line) => line.startsWith('  '));
    await timed('the rest is deleted', () => run(rest.join('\n')));

    const left = (await everything(cluster)).filter((name) => !before.includes(name));
    expect(left.filter((name) => !STAYS.some((each) => each.test(name)))).toEqual([]);
    for (const name of hosts) {
      const { metadata, status } = await hostThat(cluster, name, 'there', () => true);
      expect({ [name]: metadata.finalizers }).toEqual({ [name]: [] });
      expect(status.provisioning.state).toMatch(/^(?:provisioned|available)$/);
    }
    // No webhook refuses it.
    await kubectl(cluster, ['annotate', 'bmh', '--all', 'example.com/changed=yes']);
    expect(hosts.map((name) => machines.told(name))).toEqual(told);
  });

  test('no request of bridge and workers lacked a right', async () => {
    let count = 0;
    const refused: string[] = [];
    for await (const { user, verb, path, isForbidden } of auditedRequests(auditLogOf(FOLDER))) {
      count += 1;
      if (isForbidden) refused.push(`${user}: ${verb} ${path}`);
    }
    process.stdout.write(`${count} requests of bridge and workers\n`);
    expect(count).toBeGreaterThan(100);
    expect(refused).toEqual([]);
  });
});
