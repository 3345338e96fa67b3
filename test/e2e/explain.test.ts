import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { fill } from '../../domain/diagnosis/fill.ts';
import { DIAGNOSES } from '../../domain/diagnosis/table.ts';
import { messageOf } from '../../domain/message-of.ts';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { atNight } from '../at-night.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab, withoutSlot } from './support/fixture.ts';
import { apply, getHost, hostIn, hostThat, kubectl, NAMESPACE, secret } from './support/hosts.ts';
import { aCluster, aFreeHost, aMachine, aNode, create, on } from './support/machines.ts';
import { shareFixtureLab } from './support/place/join.ts';
import { aReader, causesOf, type Reader } from './support/reader.ts';
import { createShell, stepsOf } from './support/versions/procedure.ts';

/**
 * Causes that are seeded on the fixture, how their operations ended, and the commands of the page, for an administrator
 * and for a reader of objects.
 */
const PAGE = 'docs/explain.md';
const record = recordCommands('test/e2e/explain.test.ts');
let lab: TestFixtureLab;
let folder: string;
let reader: Reader;
let run: (commands: string, variables?: Readonly<Record<string, string>>) => Promise<string>;
beforeAll(async () => {
  lab = await shareFixtureLab();
  folder = await mkdtemp(join(tmpdir(), 'temper-explain-'));
  const shell = record.shell(await createShell(folder, lab.endpoints));
  run = (commands, variables = {}) => shell(commands, { namespace: NAMESPACE, bin: join(folder, 'bin'), ...variables });
  reader = await aReader(lab, folder);
});
afterAll(async () => {
  await reader?.kube.close();
  await lab?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

interface Seed {
  readonly spec?: Parameters<typeof fixtureHost>[1];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly login?: object | null;
}

const fails = (what: string, error: string, spec: Seed['spec'] = {}): Seed => ({
  spec,
  annotations: { 'temper/fixture-fail': what, 'temper/fixture-error': error },
});
const failsToDeploy = (error: string): Seed => fails('provision', error, { image: IMAGE });
const login = (name: string, data: Record<string, string>): object => secret(`${name}-bmc`, data);

/** What is done to a host, by the cause that follows. The texts are Ironic's and its agent's. */
const SEEDS: Readonly<Record<string, Seed>> = {
  'bmc-secret-missing': { login: null },
  'bmc-secret-incomplete': { login: login('bmc-secret-incomplete', { username: 'admin' }) },
  'bmc-password': fails(
    'register',
    'Failed to get power state for node 1. Error: Redfish exception occurred. Error: HTTP GET https://10.0.0.7/redfish/v1/Systems/1 returned code 401. Base.1.0.GeneralError: Incorrect username or password',
  ),
  'bmc-unreachable': fails(
    'register',
    'Failed to get power state for node 1. Error: Redfish connection failed for node 1: Unable to connect to https://10.0.0.7',
  ),
  'bmc-certificate-expired': fails(
    'register',
    "Failed to get power state for node 1. Error: Redfish connection failed for node 1: (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired (_ssl.c:1006)')))",
  ),
  'conductor-gone': fails('register', 'Ironic at https://ironic:6385 has no drivers: no conductor is up'),
  'driver-not-enabled': fails(
    'register',
    'No valid host was found. Reason: No conductor service registered which supports driver redfish for conductor group "".',
  ),
  'deploy-kernel-missing': fails(
    'inspect',
    "Cannot validate PXE bootloader. Some parameters were missing in node's driver_info. Missing are: ['deploy_kernel', 'deploy_ramdisk']",
  ),
  'fixture-fails': { annotations: { 'temper/fixture-fail': 'inspect' } },
  'agent-silent-inspection': fails('inspect', 'timeout reached while inspecting the node'),
  'agent-silent-deploy': failsToDeploy('Timeout reached while waiting for callback for node 1'),
  'image-not-found': failsToDeploy(
    'Validation of image href http://192.168.222.1/cirros.img failed, reason: Got HTTP code 404 instead of 200 in response to HEAD request.',
  ),
  'image-checksum-wrong': failsToDeploy(
    'Deploy step deploy.write_image failed on node 1. Error verifying image checksum: Image failed to verify against checksum. location: /dev/sda; image ID: 5; image checksum: 0f; verification checksum: 77',
  ),
  'root-device-hints': failsToDeploy(
    "Deploy step deploy.write_image failed on node 1. Error finding the disk or partition device to deploy the image onto: No suitable device was found for deployment using these hints {'name': 's== /dev/sdz'}",
  ),
  'disk-too-small': failsToDeploy(
    'Deploy step deploy.write_image failed on node 1. Unable to write image to device /dev/sda. Error: [Errno 28] No space left on device',
  ),
  'power-failed': fails('power', 'something else'),
  paused: { annotations: { 'baremetalhost.metal3.io/paused': 'power work' } },
  quarantine: { annotations: { 'temper/quarantine': 'the fan is loud' } },
  'wants-to-be-off': { spec: { image: IMAGE, online: false } },
  'no-bmc': { spec: { bmc: { address: '', credentialsName: '' } }, login: null },
};

/** Commands that steer have tests of their own; images, other clusters, Pods and kinds of Cluster API are not there. */
const OF_OTHERS =
  /^curl |^baremetal |^npx temper (?!explain)|KUBECONFIG_OF_THE_CLUSTER|get pods|kubeadmconfigs|ipaddressclaims/;
/** Answers to commands that were understood: this object has another state, does not exist, or exists already. */
const OF_OTHER_OBJECTS = [
  /admission webhook .* denied the request/,
  /workflow not found|\(NotFound\)|already exists/,
  /the server rejected our request due to an error/,
];
/** The command, but nothing is changed by it. */
const withoutEffect = (command: string): string =>
  command
    .replace(/^(kubectl (?:-n \S+ )?)edit /, '$1get ')
    .replace(/^kubectl (?:-n \S+ )?(?:patch|annotate|delete|create) (?!.*--dry-run)/, '$&--dry-run=server ')
    .replace('kubectl apply -f', 'kubectl apply --dry-run=server -f')
    .replace('"MAC"', '"52:54:00:0a:0b:0c"');

describe('somebody who may read objects alone', () => {
  test('is told the cause of what is seeded on hosts', async () => {
    const manifests = Object.entries(SEEDS).flatMap(([name, { spec, annotations, login: given }]) => [
      ...(given === null ? [] : [given ?? fixtureSecret(name)]),
      withoutSlot(fixtureHost(name, spec, annotations)),
    ]);
    await apply(lab, ...manifests);
    const told = (): Promise<readonly unknown[]> =>
      Promise.all(
        Object.keys(SEEDS).map(async (id) => ((await causesOf(reader, 'host', id)).includes(id) ? undefined : id)),
      );
    await expect.poll(async () => (await told()).filter((id) => id !== undefined)).toEqual([]);
    // Only a fault that is known by its text may have no other cause beside it.
    expect(await causesOf(reader, 'host', 'bmc-password')).toEqual(['bmc-password']);
  });

  test('is told what machines and clusters wait for', async () => {
    await aCluster(lab, 'prod');
    await create(lab, 'cluster', 'stopped', { spec: { paused: true } });
    await create(lab, 'cluster', 'bare', {});
    await expect.poll(() => causesOf(reader, 'cluster', 'stopped')).toEqual(['cluster-paused']);

    await aMachine(lab, 'prod', 'choosy', { spec: on('nobody') });
    await aMachine(lab, 'bare', 'early', { spec: on('nobody') });
    await expect.poll(() => causesOf(reader, 'machine', 'choosy')).toEqual(['selector-matches-nothing']);
    await expect.poll(() => causesOf(reader, 'machine', 'early')).toContain('infrastructure-not-ready');

    const [{ metadata }] = await Promise.all([aFreeHost(lab, 'rack-host'), aFreeHost(lab, 'other-host')]);
    await aMachine(lab, 'prod', 'worker', { spec: on('rack-host') });
    await aMachine(lab, 'prod', 'templated', { spec: { ...on('other-host'), dataTemplate: { name: 'nowhere' } } });
    await expect.poll(() => causesOf(reader, 'machine', 'templated')).toEqual(['template-missing']);
    await hostIn(lab, 'rack-host', 'provisioned');
    await aMachine(lab, 'prod', 'late', { spec: on('rack-host') });
    await expect.poll(() => causesOf(reader, 'machine', 'late')).toEqual(['hosts-taken']);
    await expect.poll(() => causesOf(reader, 'machine', 'worker')).toEqual(['node-missing']);
    await aNode(lab, 'worker', { 'metal3.io/uuid': metadata.uid }, { providerID: 'openstack:///1' });
    await expect.poll(() => causesOf(reader, 'machine', 'worker')).toEqual(['node-other-provider-id']);
  });

  test('finds commands beside each cause that its programs and the API server take', async ({ skip }) => {
    atNight(skip, 'scripts/documented/cells.test.ts');
    const names = {
      namespace: NAMESPACE,
      host: 'rack-host',
      machine: 'worker',
      ownerMachine: 'worker',
      cluster: 'prod',
      metal3Cluster: 'prod',
      object: 'cluster/prod',
      secret: 'rack-host-bmc',
      bmcSecret: 'rack-host-bmc',
      registrySecret: 'login-of-registry',
      kind: 'ippool',
      pool: 'nodes',
      address: 'redfish+http://192.168.222.1:8000/redfish/v1/Systems/1',
    };
    const commands = [...new Set(DIAGNOSES.flatMap((each) => each.commands))].filter(
      (command) => !OF_OTHERS.test(command),
    );
    expect(commands.length).toBeGreaterThan(40);
    const refused: string[] = [];
    for (const command of commands) {
      const asked = withoutEffect(fill(command, names, true));
      const problem = await run(asked).then(() => undefined, messageOf);
      if (problem !== undefined && !OF_OTHER_OBJECTS.some((answer) => answer.test(problem)))
        refused.push(`${asked}: ${problem}`);
    }
    expect(refused).toEqual([]);
  });

  test('is told what could not be looked at, and everything else', async () => {
    const asReader = { KUBECONFIG: reader.kubeconfig, TEMPORAL_ADDRESS: '' };
    const told = await run(`npx temper explain host bmc-password -n $namespace --dir $bin/none`, asReader);
    expect(told).toMatch(new RegExp(`^BareMetalHost ${NAMESPACE}/bmc-password: registering, in error`));
    for (const part of ['Last error', '  bmc-password: ', 'What happens next', 'npx temper retry', 'Not looked at'])
      expect(told).toContain(part);
    expect(told).toMatch(/whether Secret \S+\/bmc-password-bmc exists: secrets ".*" is forbidden/);
    expect(told).toContain('TEMPORAL_ADDRESS is not set');
    expect(await run('npx temper plan host bmc-password -n $namespace --dir $bin/none', asReader)).toContain(
      '1. registering: register with Ironic',
    );
  });
});

describe(`the commands of ${PAGE}`, () => {
  test('explain a host, a machine and a cluster, as text and as JSON', async () => {
    const steps = await stepsOf(PAGE, 'Explain');
    const variables = { host: 'quarantine', machine: 'choosy', cluster: 'prod' };
    const [host, machine, cluster, json] = await Promise.all(steps.map((step) => run(step, variables)));
    expect(host).toContain('quarantine: The host is in quarantine');
    expect(host).toContain('waits for: in quarantine, by an annotation: the fan is loud; release ends that');
    expect(host).not.toContain('Not looked at');
    expect(machine).toContain('selector-matches-nothing: ');
    expect(machine).toMatch(/seen: BareMetalHost \S+, cannot be chosen: don't match hostSelector/);
    expect(cluster).toMatch(/choosy +without a host; selector-matches-nothing/);
    expect(JSON.parse(json ?? '')).toMatchObject({ name: 'quarantine', causes: [{ id: 'quarantine' }] });
  });

  test('plan what then happens, and do nothing themselves', async () => {
    const [asItIs, manifest, deletion, machine] = await stepsOf(PAGE, 'Plan');
    expect(await run(asItIs ?? '', { host: 'bmc-password' })).toContain('1. registering: register with Ironic');
    const name = 'planned';
    const host = withoutSlot(fixtureHost(name, { image: IMAGE }));
    const file = join(folder, 'host.yaml');
    await writeFile(file, [fixtureSecret(name), host].map((each) => stringify(each)).join('---\n'));
    const planned = await run(manifest ?? '', { manifest: file });
    expect(planned).toContain(`write ${IMAGE.url} to the disk with deviceName /dev/sda, and boot it  ERASES`);
    expect(planned).toContain('then it is provisioned and powered on (provisioned as desired)');
    expect(await getHost(lab, name)).toBeUndefined();

    await apply(lab, fixtureSecret(name), host);
    await hostThat(
      lab,
      name,
      'provisioned and on',
      ({ status }) => status.provisioning.state === 'provisioned' && status.poweredOn,
    );
    expect(await run(manifest ?? '', { manifest: file })).toContain('nothing to do: it stays provisioned');
    expect(await run(deletion ?? '', { host: name })).toMatch(
      /ERASES the partition tables of all disks[^]*then it is gone/,
    );
    expect(await run(machine ?? '', { machine: 'worker' })).toMatch(
      /worker: has host rack-host[^]*nothing to do: it stays provisioned[^]*gives back its host rack-host[^]*ERASES the partition tables/,
    );
    expect((await getHost(lab, name))?.status.provisioning.state).toBe('provisioned');
    expect((await getHost(lab, 'rack-host'))?.status.provisioning.state).toBe('provisioned');
  });

  test('tell how operations ended, from the objects and from runs, or what could not be read', async () => {
    const [ofHost, ofMachine, fromObject] = await stepsOf(PAGE, 'History');
    const failed = { host: 'image-not-found', machine: 'worker' };
    await expect
      .poll(() => run(ofHost ?? '', failed))
      .toMatch(/ failed after \d+ s  baremetalhost\/\S+\/image-not-found\/provision\/\d+: .*HTTP code 404/);
    const asReader = { ...failed, KUBECONFIG: reader.kubeconfig, TEMPORAL_ADDRESS: '' };
    const told = await run(`${ofHost?.trim()} --dir $bin/none`, asReader);
    for (const each of [/ {2}register: done after \d+ s$/m, / {2}inspect: done after /]) expect(told).toMatch(each);
    expect(told).toMatch(/ {2}provision: \d attempts? failed, the last after .*: .*HTTP code 404/);
    expect(told).toMatch(/Not looked at\n {2}runs in Temporal: TEMPORAL_ADDRESS is not set/);
    const whom = `Metal3Machine ${NAMESPACE}/worker`;
    expect(await run(ofMachine ?? '', failed)).toMatch(new RegExp(`provision: done after .*; for ${whom}`));
    const provisioned = { what: 'provision', result: 'done', for: whom };
    expect(JSON.parse(await run(fromObject ?? '', { host: 'rack-host' }))).toMatchObject({
      operations: expect.arrayContaining([expect.objectContaining(provisioned)]) as unknown,
      unread: [],
    });
  });

  test('tell of a deleted host what its runs say', async () => {
    const [ofHost = ''] = await stepsOf(PAGE, 'History');
    const deleted = { host: 'fixture-fails' };
    await kubectl(lab, ['delete', 'bmh', deleted.host]);
    await expect
      .poll(() => run(ofHost, deleted))
      .toMatch(/ completed after \d+ s {2}baremetalhost\/\S+\/fixture-fails\/delete\/\d+$/m);
    expect(await run(ofHost, deleted)).toMatch(/^BareMetalHost \S+ does not exist \(any more\)/);
  });

  test('work as a plugin of kubectl', async () => {
    const [plugin] = await stepsOf(PAGE, 'As a plugin of kubectl');
    expect(await run(plugin ?? '', { host: 'quarantine' })).toContain('quarantine: The host is in quarantine');
  });
});
