import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { messageOf } from '../../domain/message-of.ts';
import { BMC_PASSWORD } from './setup/bmc-password.ts';
import { filesIn, historiesOf, metricsOf, placesOf } from './support/canaries.ts';
import { withTemporal } from './support/histories.ts';
import {
  apply,
  bmcSecret,
  createHost,
  editHost,
  getHost,
  type Host,
  hostIn,
  hostManifest,
  hostThat,
  kubectl,
  NAMESPACE,
  secret,
} from './support/hosts.ts';
import { serveClusterApi } from './support/kinds.ts';
import type { TestLab } from './support/lab.ts';
import { serveMachineApi, specFor } from './support/machine-api.ts';
import { aCluster, aMachine, create, on } from './support/machines.ts';
import { machineOf, nodeOf } from './support/metal.ts';
import { holds } from './support/needle.ts';
import { joinLab } from './support/place/join.ts';
import { addFault } from './support/recorded.ts';

/** Passwords and data of hosts go from the Secret to Ironic and nowhere else, secrets in URLs from the spec. */
const WRONG_PASSWORD = 'canary-wrong-password-c2b1d4';
const USER_DATA = 'canary-user-data-51d2e8';
const NETWORK_DATA = 'canary-network-data-8c31f7';
const META_DATA = 'canary-meta-data-e92a40';
const PLANTED = 'canary-planted-0b44aa';
/** In the query of an image that is deployed, and of a DataImage. */
const SIGNATURE = 'canary-signature-93be02';
/** Of the user in the URL of an image that nobody can download. */
const USER_PASSWORD = 'canary-user-password-6d70f1';
/** In the URLs of the images of machines. */
const MACHINE_SIGNATURE = 'canary-machine-signature-2b7d19';
const MACHINE_PASSWORD = 'canary-machine-password-e04c85';
/** In the URL of the image that is built for each host, with which Ironic starts its agent. */
const AGENT_SIGNATURE = 'canary-agent-signature-7e5c02';
/** In URLs that webhooks refuse. */
const REFUSED = 'canary-refused-f18d6b';
/** Of the user of Ironic's API, which this Ironic does not check. */
const IRONIC_PASSWORD = 'canary-ironic-password-a85e17';
/** Of a registry that does not answer. */
const REGISTRY_PASSWORD = 'canary-registry-password-48c9f3';
const REGISTRY = '127.0.0.1:1';
/** What Ironic says of the BMC of the host with the wrong password. */
const QUOTED = 'the BMC refused a login';
const LOOKED_FOR = [
  PLANTED,
  `${PLANTED}-packed`,
  BMC_PASSWORD,
  WRONG_PASSWORD,
  USER_DATA,
  NETWORK_DATA,
  META_DATA,
  SIGNATURE,
  USER_PASSWORD,
  MACHINE_SIGNATURE,
  MACHINE_PASSWORD,
  AGENT_SIGNATURE,
  REFUSED,
  IRONIC_PASSWORD,
  REGISTRY_PASSWORD,
];
let lab: TestLab;
let auth: string;
const places = new Map<string, Buffer>();
const refusals: string[] = [];

beforeAll(async () => {
  auth = await mkdtemp(join(tmpdir(), 'temper-auth-'));
  await mkdir(join(auth, 'ironic'));
  await writeFile(join(auth, 'ironic', 'username'), 'temper');
  await writeFile(join(auth, 'ironic', 'password'), IRONIC_PASSWORD);
  lab = await joinLab({
    machines: 7,
    temperEnv: {
      LOG_LEVEL: 'trace',
      METAL3_AUTH_ROOT_DIR: auth,
      MACHINE_API: 'all',
      BUILD_PREPROV_IMAGE: 'true',
    },
    // The workers read it from the PreprovisioningImage.
    envOf: { bridge: { DEPLOY_ISO_URL: `${inject('sharedLab')?.endpoints.deployIso}?sig=${AGENT_SIGNATURE}` } },
  });
  // One host with a canary password and user data; one whose password is wrong and could therefore appear in errors.
  await apply(
    lab,
    secret('host-0-user-data', { userData: `#cloud-config\n# ${USER_DATA}\n` }),
    secret('host-0-network-data', { networkData: `services: [{ type: dns, address: ${NETWORK_DATA} }]` }),
    secret('host-0-meta-data', { metaData: `canary: ${META_DATA}` }),
  );
  await apply(lab, {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'DataImage',
    metadata: { name: 'host-0', namespace: NAMESPACE },
    spec: { url: `http://images.test/data.iso?sig=${SIGNATURE}` },
  });
  const { testImage } = lab.endpoints;
  const signed = { ...testImage, url: `${testImage.url}?sig=${SIGNATURE}` };
  await createHost(lab, 0, {
    image: signed,
    userData: { name: 'host-0-user-data' },
    networkData: { name: 'host-0-network-data' },
    metaData: { name: 'host-0-meta-data' },
  });
  const withUser = `http://me:${USER_PASSWORD}@127.0.0.1:1/none-1MiB.raw`;
  await createHost(lab, 2, { image: { url: withUser, checksum: '0'.repeat(64), checksumType: 'sha256' } });
  await createHostFromRegistry();
  await createMachines();
  await letWebhooksRefuse();
  const manifest = hostManifest(lab, 1);
  await apply(lab, bmcSecret(lab, 'host-1', { password: WRONG_PASSWORD }), manifest);
  const refused = await hostThat(lab, 'host-1', 'refused', ({ status }) => status.errorType === 'registration error');
  await letIronicQuote(refused);
  for (const name of ['host-2', 'host-3', 'host-5', 'host-6'])
    await hostThat(lab, name, 'failing to deploy', ({ status }) => status.errorType === 'provisioning error');
  for (const name of ['host-0', 'host-4']) await hostIn(lab, name, 'provisioned');
  await hostThat(lab, 'host-0', 'shown with its image', ({ status }) =>
    JSON.stringify(status.provisioning.image).includes(SIGNATURE),
  );
  await withTemporal(lab, (client) =>
    client.workflow.start('plantedWorkflow', {
      taskQueue: 'nobody',
      workflowId: 'planted',
      args: [{ canary: PLANTED, packed: gzipSync(`${PLANTED}-packed`).toString('base64') }],
    }),
  );
  await collect();
});
afterAll(async () => {
  await lab?.stop();
  await rm(auth, { recursive: true, force: true });
});

/** Of the life of such a host, only the deployment is tested. */
const ONLY_DEPLOYED = { inspectionMode: 'disabled', automatedCleaningMode: 'disabled' } as const;

/** A host whose image is in a registry with a login. */
async function createHostFromRegistry(): Promise<void> {
  const auths = { [REGISTRY]: { auth: Buffer.from(`me:${REGISTRY_PASSWORD}`).toString('base64') } };
  await apply(lab, {
    ...secret('pull', { '.dockerconfigjson': JSON.stringify({ auths }) }),
    type: 'kubernetes.io/dockerconfigjson',
  });
  await createHost(lab, 3, {
    ...ONLY_DEPLOYED,
    image: { url: `oci://${REGISTRY}/os:1`, ociAuthSecretName: 'pull' },
  });
}

/** Machines of Cluster API and of the Machine API that take hosts: the image of the first can be downloaded. */
async function createMachines(): Promise<void> {
  await serveClusterApi(lab.kube);
  await serveMachineApi(lab);
  await aCluster(lab, 'cluster');
  for (const index of [4, 5, 6]) {
    const name = await createHost(lab, index, ONLY_DEPLOYED);
    await kubectl(lab, ['label', 'bmh', name, `for=${name}`, '--namespace', NAMESPACE]);
  }
  const { testImage } = lab.endpoints;
  const signed = { ...testImage, url: `${testImage.url}?sig=${MACHINE_SIGNATURE}` };
  const url = `http://me:${MACHINE_PASSWORD}@127.0.0.1:1/none-1MiB.raw?sig=${MACHINE_SIGNATURE}`;
  const withUser = { url, checksum: '0'.repeat(64) };
  await create(lab, 'metal3DataTemplate', 'template', {
    spec: { clusterName: 'cluster', metaData: { objectNames: [{ key: 'name', object: 'machine' }] } },
  });
  const dataTemplate = { name: 'template' };
  await aMachine(lab, 'cluster', 'signed', { spec: { ...on('host-4'), image: signed, dataTemplate } });
  await aMachine(lab, 'cluster', 'with-user', {
    spec: { ...on('host-5'), image: { ...withUser, checksumType: 'sha256' } },
  });
  await apply(lab, secret('host-6-user-data', { userData: '#cloud-config' }));
  await create(lab, 'openShiftMachine', 'of-openshift', { spec: specFor('host-6', { image: withUser }) });
}

/** A host, its DataImage and a machine with URLs that are not valid. */
async function letWebhooksRefuse(): Promise<void> {
  const name = 'refused';
  const metadata = { name, namespace: NAMESPACE };
  const url = `unix://me:${REFUSED}@images.test/a?sig=${REFUSED}`;
  const host = hostManifest(lab, 0, { image: { url, checksum: '0' } });
  // A URL of a machine's image that is not valid is refused by the API server itself.
  const image = { url: 'http://images.test/a', checksum: `http://me:${REFUSED}@[images.test/a?sig=${REFUSED}` };
  const answers = [
    apply(lab, { ...host, metadata }),
    apply(lab, { apiVersion: 'metal3.io/v1alpha1', kind: 'DataImage', metadata, spec: { url } }),
    create(lab, 'metal3Machine', name, { spec: { image } }),
  ].map((creation) => creation.then(() => 'accepted', messageOf));
  refusals.push(...(await Promise.all(answers)));
}

/** Ironic's next answer about the host quotes the password that it was sent, and that of its own user. */
async function letIronicQuote({ status }: Host): Promise<void> {
  const message = `${QUOTED} with the password ${WRONG_PASSWORD}, for ${IRONIC_PASSWORD}`;
  await addFault(lab, { method: 'PUT', path: `${status.provisioning.ID}/states/provision`, status: 400, message });
  await editHost(lab, 'host-1', { description: 'tried again' });
  await hostThat(lab, 'host-1', 'refused in other words', (host) => host.status.errorMessage.includes(QUOTED));
}

const KINDS = [
  'bmh,dataimages,hardwaredata,preprovisioningimages,events',
  'metal3machines,metal3datas,metal3dataclaims,metal3datatemplates,metal3clusters',
  'machines.cluster.x-k8s.io,machines.machine.openshift.io',
].join();

/** Objects without the fields in which the URLs of images belong. */
async function wordsOfObjects(): Promise<string> {
  const urls = ['image', 'lastAttemptedImage', 'attachedImage', 'imageUrl'];
  const places = [...urls, 'kubectl.kubernetes.io/last-applied-configuration'];
  const objects = await kubectl(lab, ['get', KINDS, '-A', '-o', 'json']);
  return JSON.stringify(JSON.parse(objects), (key, value: unknown) =>
    places.includes(key) ? undefined : value,
  ).replaceAll(`"url":"http://images.test/data.iso?sig=${SIGNATURE}"`, '"url":""');
}

async function collect(): Promise<void> {
  places.set('words', Buffer.from(await wordsOfObjects()));
  places.set('objects', Buffer.from(await kubectl(lab, ['get', KINDS, '-A', '-o', 'yaml'])));
  const own = dirname(dirname(lab.logOf('bridge')));
  // All logs: ours, Temporal's, the API server's, Ironic's, and the proxy's recordings.
  const folders = [
    lab.dir,
    ...['logs', 'ironic'].map((name) => join(lab.dir, name)),
    ...['logs', 'proxy'].map((name) => join(own, name)),
  ];
  for (const some of [await historiesOf(lab), await filesIn(lab.dir, folders), await metricsOf(lab)])
    for (const [place, content] of some) places.set(place, content);
  seen = placesOf(places, LOOKED_FOR);
}

/** The places of each text that tests look for. */
let seen: ReadonlyMap<string, readonly string[]>;
const found = (needle: string): readonly string[] => {
  const at = seen.get(needle);
  if (at === undefined) throw new Error(`${needle} was not looked for`);
  return at;
};

describe('the search', () => {
  test('looks at Temporal’s database and histories, the logs and the objects', () => {
    expect([...places.keys()].join('\n')).toMatch(/database/);
    expect([...places.keys()].join('\n')).toMatch(/history of baremetalhost\/secrets\/host-0\/provision\/\d/);
    const machines = [
      'metal3machine\\S*/secrets/signed',
      'metal3data/secrets/template-0',
      'machine\\S*/secrets/of-openshift',
    ];
    for (const of of machines) expect([...places.keys()].join('\n')).toMatch(new RegExp(`history of ${of}`));
    const logs = [
      'places/secrets/logs/workers',
      'places/secrets/logs/bridge',
      'logs/temporal',
      'logs/bridge',
      'ironic/ironic',
    ];
    for (const log of logs) expect(places.get(`log ${log}.log`)?.length, log).toBeGreaterThan(0);
    expect([...places.keys()].join('\n')).toMatch(/requests\.jsonl/);
    expect(places.get('metrics of the workers')?.length).toBeGreaterThan(0);
  });
  test('finds a canary planted on purpose, in the database and in a history, raw and packed', () => {
    for (const needle of [PLANTED, `${PLANTED}-packed`]) {
      expect(found(needle)).toEqual(expect.arrayContaining(['history of planted', expect.stringMatching(/^database/)]));
    }
  });
  test.each([
    ['raw', (text: string) => text],
    ['base64', (text: string) => Buffer.from(`xx${text}`).toString('base64')],
    ['gzip', (text: string) => gzipSync(text)],
    ['zlib', (text: string) => deflateSync(text)],
    ['gzip in base64', (text: string) => gzipSync(text).toString('base64')],
    ['zlib in base64', (text: string) => deflateSync(text).toString('base64')],
  ])('finds what is hidden by %s', (_, hide) => {
    const hay = Buffer.concat([Buffer.from('before "'), Buffer.from(hide(`k=${PLANTED};`)), Buffer.from('" after')]);
    expect(holds(hay, PLANTED)).toBe(true);
    expect(holds(hay, BMC_PASSWORD)).toBe(false);
  });
});

/** What we write: Ironic, the simulated machines and the recordings of requests to Ironic know the URLs. */
const OURS = /^(words|history|database|metrics|log .*(bridge|workers|temporal)\.log$)/;

describe('a secret in the URL of an image', () => {
  test('reached Ironic and the status, so that its absence elsewhere means something', async () => {
    expect(JSON.stringify((await machineOf(lab, 0)).disk)).toContain(SIGNATURE);
    expect(JSON.stringify((await machineOf(lab, 4)).disk)).toContain(MACHINE_SIGNATURE);
    expect(JSON.stringify((await nodeOf(lab, 'host-0')).driver_info)).toContain(AGENT_SIGNATURE);
    for (const needle of [SIGNATURE, MACHINE_SIGNATURE, MACHINE_PASSWORD, AGENT_SIGNATURE])
      expect(found(needle)).toContain('objects');
    for (const name of ['host-5', 'host-6'])
      expect(JSON.stringify((await getHost(lab, name))?.spec)).toContain(MACHINE_PASSWORD);
    // The node has it while the deployment is tried.
    await expect
      .poll(async () => JSON.stringify(await nodeOf(lab, 'host-2')), { timeout: 600_000 })
      .toContain(USER_PASSWORD);
  });
  test.each([
    ['signature', SIGNATURE],
    ['signature of the agent', AGENT_SIGNATURE],
    ['password of a user', USER_PASSWORD],
    ['signature of machines', MACHINE_SIGNATURE],
    ['password of a user of machines', MACHINE_PASSWORD],
  ])('%s is in no history, summary, Event, condition, message or log', (_, needle) => {
    expect(found(needle).filter((place) => OURS.test(place))).toEqual([]);
  });
});

describe('a log of ours', () => {
  test.each(['bridge', 'workers'])('of the %s has JSON in each line, and no empty error', (name) => {
    const lines = String(places.get(`log places/secrets/logs/${name}.log`))
      .trim()
      .split('\n');
    expect(lines.filter((line) => !line.startsWith('{"level":'))).toEqual([]);
    expect(lines.filter((line) => line.includes('"error":{}'))).toEqual([]);
  });
});

test('passwords that Ironic quotes are replaced in the status, and the rest of its words is shown', () => {
  expect(String(places.get('words'))).toContain(`${QUOTED} with the password ******, for ******`);
});

test('webhooks that refuse the URL of an image say which, without the secrets in it', () => {
  expect(refusals).toEqual([
    expect.stringContaining('image URL unix://images.test/a is invalid'),
    expect.stringContaining('URL "unix://images.test/a" is invalid'),
    expect.stringMatching(/Image\.Checksum: Invalid value: \\*"http:\/\/\[images\.test\/a\\*": not a valid URL/),
  ]);
  expect(refusals.join()).not.toContain(REFUSED);
});

test('the login of a registry reached Ironic, so that its absence elsewhere means something', async () => {
  // The node has it while the deployment is tried.
  await expect
    .poll(async () => JSON.stringify(await nodeOf(lab, 'host-3')), { timeout: 600_000 })
    .toContain('"image_pull_secret":"******"');
});

describe('a canary', () => {
  test('reached the machine, so that its absence elsewhere means something', async () => {
    const disk = JSON.stringify((await machineOf(lab, 0)).disk);
    for (const needle of [USER_DATA, NETWORK_DATA, META_DATA]) expect(disk).toContain(needle);
  });
  test.each([
    ['password', BMC_PASSWORD],
    ['wrong password', WRONG_PASSWORD],
    ['user data', USER_DATA],
    ['network data', NETWORK_DATA],
    ['metadata', META_DATA],
    ['secret in a URL that a webhook refused', REFUSED],
    ['password of Ironic’s user', IRONIC_PASSWORD],
    ['password of a registry', REGISTRY_PASSWORD],
  ])('%s is nowhere it does not belong', (_, needle) => {
    expect(found(needle)).toEqual([]);
  });
});
