import { afterEach, describe, expect, test } from 'vitest';
import type { ProvisionOrder } from '../../../domain/ironic/orders.ts';
import { sealImage, sealUrl } from '../../../kube/objects/sealed-urls.ts';
import { anOrder } from '../../../test/builders/node.ts';
import { type ScriptedActivities, scriptActivities } from '../../../test/builders/scripted-activities.ts';
import { type Answer, aNodeAnswer } from '../../../test/builders/scripted-ironic.ts';
import { aSecretText } from '../../../test/builders/secret-text.ts';
import { type HostData, HostDataError } from '../../host-data.ts';

let open: ScriptedActivities | undefined;
afterEach(async () => open?.close());

const NODE = '11111111-1111-4111-8111-111111111111';
const aDeployment = (order: Partial<ProvisionOrder>): ProvisionOrder => ({
  ...anOrder({ nodeId: NODE }),
  retry: false,
  ...order,
});
const available: Answer = { status: 200, body: aNodeAnswer({ provision_state: 'available' }) };
const accepted: Answer = { status: 202 };

async function deploy(order: Partial<ProvisionOrder>, hostData: Partial<HostData> = {}) {
  open = await scriptActivities([available, available, accepted], {}, hostData);
  const answer = await open.activities.deployNode(aDeployment(order));
  return { answer, asked: open.asked() };
}

const OCI = { image: { url: 'oci://quay.io/os:1', ociAuthSecretName: 'pull' } };

describe('a deployment, on recorded requests', () => {
  test('by a custom step alone asks for the step, and for no image', async () => {
    const { answer, asked } = await deploy({ customDeployMethod: 'install_coreos' });
    expect(answer).toMatchObject({ kind: 'started', node: { state: 'deploying' } });
    expect(asked[1]).toEqual([
      `PATCH /v1/nodes/${NODE}`,
      [
        { op: 'add', path: '/instance_uuid', value: 'uid-1' },
        { op: 'add', path: '/properties/capabilities', value: 'boot_mode:uefi' },
        { op: 'add', path: '/instance_info/capabilities', value: {} },
        { op: 'add', path: '/deploy_interface', value: 'custom-agent' },
        {
          op: 'add',
          path: '/instance_info/temper_deployment',
          value: { image: '', customDeployMethod: 'install_coreos', data: {} },
        },
      ],
    ]);
    expect(asked[2]).toMatchObject([
      `PUT /v1/nodes/${NODE}/states/provision`,
      {
        target: 'active',
        configdrive: { meta_data: { name: 'host-1' } },
        deploy_steps: [{ interface: 'deploy', step: 'install_coreos', args: {}, priority: 80 }],
      },
    ]);
  });

  test('sends the secrets in the URLs of its image to Ironic, and tells nobody of them', async () => {
    const image = { url: 'https://me:canary@images/a?sig=canary', checksum: 'https://images/SUMS?sig=canary' };
    const openedImage: HostData['openedImage'] = (_, sealed) =>
      Promise.resolve(sealed.url === sealUrl('uid-1', image.url) ? image : sealed);
    const userData = { name: 'cloud-init', namespace: 'metal' };
    const attempt = 'uid-1 2026-01-01T00:00:00Z metal/m1';
    const order = { image: sealImage('uid-1', image), userData, attempt };
    expect(JSON.stringify(order)).not.toContain('canary');
    const { answer, asked } = await deploy(order, { openedImage });
    expect(asked[1]?.[1]).toEqual(
      expect.arrayContaining([
        { op: 'add', path: '/instance_info/image_source', value: image.url },
        { op: 'add', path: '/instance_info/image_checksum', value: image.checksum },
        {
          op: 'add',
          path: '/instance_info/temper_deployment',
          value: { image: sealUrl('uid-1', image.url), customDeployMethod: '', data: { userData }, attempt },
        },
      ]),
    );
    expect(answer).toMatchObject({ kind: 'started' });
    expect(JSON.stringify(answer)).not.toContain('canary');
  });

  test('of a live ISO has an empty config drive', async () => {
    const { asked } = await deploy({ image: { url: 'http://live.iso', format: 'live-iso' } });
    expect(asked[2]?.[1]).toEqual({ target: 'active', configdrive: {} });
  });

  test.each([
    ['its own', { networkData: { name: 'own' }, preprovisioningNetworkDataName: 'agent' }, 'own'],
    ['that of its deploy agent without its own', { preprovisioningNetworkDataName: 'agent' }, 'agent'],
    ['none without either', {}, undefined],
  ])('has the network %s', async (_, order, expected) => {
    const image = { url: 'http://images/a.raw', checksum: 'abc' };
    const { asked } = await deploy(
      { image, ...order },
      {
        hostData: (__, reference, key) =>
          Promise.resolve(
            key === 'networkData' && reference?.name ? aSecretText(`from: ${reference.name}`) : undefined,
          ),
      },
    );
    const network = expected === undefined ? {} : { network_data: { from: expected } };
    const meta_data: unknown = expect.objectContaining({ name: 'host-1' });
    expect(asked[2]?.[1]).toEqual({ target: 'active', configdrive: { meta_data, ...network } });
  });

  test('from a registry hands over the login that its Secret holds', async () => {
    const asked: unknown[] = [];
    const { answer, asked: requests } = await deploy(OCI, {
      registryLogin: (_, name, url) => {
        asked.push([name, url]);
        return Promise.resolve({ kind: 'ok', login: 'me:canary' });
      },
    });
    expect(asked).toEqual([['pull', 'oci://quay.io/os:1']]);
    expect(requests[1]?.[1]).toContainEqual({
      op: 'add',
      path: '/instance_info/image_pull_secret',
      value: 'me:canary',
    });
    expect(JSON.stringify(answer)).not.toContain('canary');
  });

  test.each([
    ['an image without a Secret', { image: { url: 'oci://quay.io/os:1' } }],
    [
      'an image from elsewhere, whatever Secret it names',
      { image: { url: 'http://os', checksum: 'a', ociAuthSecretName: 'pull' } },
    ],
  ])('asks for no login with %s', async (_, order) => {
    const { asked } = await deploy(order, { registryLogin: () => Promise.reject(new Error('nobody should ask')) });
    expect(JSON.stringify(asked[1])).not.toContain('image_pull_secret');
  });

  test.each([
    ['is missing', { kind: 'missing', message: 'auth secret "pull" not found in namespace "metal"' }],
    ['is of no use', { kind: 'invalid', message: 'no', warning: { reason: 'ImageAuthParseError', message: 'No' } }],
  ] as const)('fails before Ironic is asked when the login %s', async (_, found) => {
    const { answer, asked } = await deploy(OCI, { registryLogin: () => Promise.resolve(found) });
    expect(answer).toEqual({ ...found, kind: 'failed' });
    expect(asked).toEqual([]);
  });
});

const NMSTATE = `interfaces:\n  - {name: bond0, type: bond}\ndns-resolver: {}\n`;
const IMAGE = { url: 'http://images/a.raw', checksum: 'abc' };
const OWN_DATA = { image: IMAGE, metaData: { name: 'meta' }, networkData: { name: 'net' } };

/** Secrets with these texts under `metaData` and `networkData`. */
const secrets = (texts: Readonly<Record<string, string>>): Partial<HostData> => ({
  hostData: (_, reference, key) =>
    Promise.resolve(
      reference?.name === undefined
        ? undefined
        : aSecretText(texts[key] ?? '', { secret: reference.name, key, version: '7' }),
    ),
});

describe("a deployment with a user's metadata and network data", () => {
  test("hands them to Ironic as upstream's parser reads them", async () => {
    const { asked } = await deploy(
      OWN_DATA,
      secrets({
        metaData: 'gpu: yes\nswap: off\nmode: 0644\nlocal-hostname: first\nlocal-hostname: second\n---\n',
        networkData: 'common: &phy {type: phy, mtu: 9000}\nlinks:\n  - {<<: *phy, id: nic0}\n',
      }),
    );
    expect(asked[2]?.[1]).toMatchObject({
      configdrive: {
        meta_data: { gpu: true, swap: false, mode: 420, 'local-hostname': 'second' },
        network_data: { links: [{ type: 'phy', mtu: 9000, id: 'nic0' }] },
      },
    });
  });

  const unread = aSecretText('', { secret: 'net', version: '7', unreadKeys: ['nmstate'] });

  test.each([
    [
      'wrong metadata',
      secrets({ metaData: 'a: 1\nb: [canary' }),
      'meta',
      'Secret meta, key metaData, line 2, column 11: the indentation is wrong here, or a bracket is not closed',
    ],
    [
      'nmstate',
      secrets({ networkData: NMSTATE }),
      'net',
      'Secret net, key networkData: it holds nmstate, not OpenStack network data (links, networks, services)',
    ],
    [
      'keys that nobody reads',
      { hostData: (_, __, key) => Promise.resolve(key === 'networkData' ? unread : undefined) },
      'net',
      'Secret net: it has no network data: that is read from the key networkData, or else from value, and nobody reads nmstate',
    ],
  ] satisfies readonly (readonly [string, Partial<HostData>, string, string])[])(
    'fails with the name of the Secret that has %s, before Ironic is asked to deploy or to clean',
    async (_, hostData, name, problem) => {
      const failed = {
        kind: 'failed',
        message: `Validation failed: ${problem}`,
        wrongSecret: { name, resourceVersion: '7' },
      };
      const { answer, asked } = await deploy(OWN_DATA, hostData);
      expect(answer).toEqual(failed);
      expect(asked.map(([request]) => request)).toEqual([`GET /v1/nodes/${NODE}`]);
      await open?.close();

      open = await scriptActivities(
        [{ status: 200, body: aNodeAnswer({ provision_state: 'manageable' }) }],
        {},
        hostData,
      );
      const deployment = aDeployment(OWN_DATA);
      const cleaning = { host: deployment.host, nodeId: NODE, retry: false, deployment };
      expect(await open.activities.provideNode(cleaning)).toEqual(failed);
      expect(open.asked().map(([request]) => request)).toEqual([`GET /v1/nodes/${NODE}`]);
    },
  );

  test('has its texts read before its place, and reads them again out of it when they have changed meanwhile', async () => {
    const happened: string[] = [];
    const versions = ['a: 1', 'a: 2'];
    let reads = 0;
    const hostData: HostData['hostData'] = (_, reference, key) => {
      if (reference === undefined || key !== 'metaData') return Promise.resolve(undefined);
      happened.push('read');
      return Promise.resolve(aSecretText(versions[Math.min(reads++, 1)] ?? '', { secret: reference.name ?? '', key }));
    };
    const onPlace = (): void => void happened.push('place');
    open = await scriptActivities([available, available, available, accepted], {}, { hostData }, 1, undefined, {
      onPlace,
    });
    expect(await open.activities.deployNode(aDeployment(OWN_DATA))).toMatchObject({ kind: 'started' });
    expect(happened).toEqual(['read', 'place', 'read', 'read', 'place', 'read']);
    expect(open.asked().at(-1)?.[1]).toMatchObject({ configdrive: { meta_data: { a: 2 } } });
  });

  test('of a node that a list shows as deployed has no texts read', async () => {
    const active = {
      ...aNodeAnswer({ provision_state: 'active', instance_uuid: 'uid-1', instance_info: { image_source: IMAGE.url } }),
    };
    const hostData = (): Promise<never> => Promise.reject(new Error('nothing is to be read'));
    open = await scriptActivities(
      [
        { status: 200, body: { nodes: [active] } },
        { status: 200, body: active },
      ],
      {},
      { hostData },
    );
    const order = aDeployment(OWN_DATA);
    await open.activities.waitForNode({ ...order, until: 'free' });
    expect(await open.activities.deployNode(order)).toMatchObject({ kind: 'done' });
  });

  test('is cleaned for it while a Secret is missing: only the deployment needs it', async () => {
    const hostData = () => Promise.reject(new HostDataError('secrets "net" not found'));
    const manageable = { status: 200, body: aNodeAnswer({ provision_state: 'manageable' }) };
    open = await scriptActivities([manageable, accepted], {}, { hostData });
    const deployment = aDeployment(OWN_DATA);
    const cleaning = { host: deployment.host, nodeId: NODE, retry: false, deployment };
    expect(await open.activities.provideNode(cleaning)).toMatchObject({ kind: 'started' });
  });

  test("takes whatever the deploy agent's Secret holds: where images are built, their builder reads it", async () => {
    const order = { image: IMAGE, preprovisioningNetworkDataName: 'agent' };
    const { answer } = await deploy(order, secrets({ networkData: NMSTATE }));
    expect(answer).toMatchObject({ kind: 'started' });
  });
});
