import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { webhookConfigurationPath } from '../../kube/paths.ts';
import { registerWebhooks } from '../../lab/webhooks.ts';
import { bridgeConfig, readConfig } from '../../platform/config/config.ts';
import { type Answer, type ApiServer, connect } from '../verdicts/api-server.ts';
import { type Breakable, startBreakableControlPlane } from './bridge/control-plane.ts';
import { openScene, PATIENCE, type Scene } from './webhooks/harness.ts';

const GROUP = 'infrastructure.cluster.x-k8s.io';
const { WEBHOOK_CONFIGURATION, WEBHOOK_MUTATING_CONFIGURATION } = readConfig(bridgeConfig, {});

let plane: Breakable;
/** Webhooks of the test, registered like those of the lab's bridge. */
let scene: Scene;
let server: ApiServer;
beforeAll(async () => {
  // It changes CRDs, which ends the watches of everybody.
  plane = await startBreakableControlPlane();
  const { kubeconfig } = plane;
  scene = await openScene(kubeconfig);
  server = await connect(kubeconfig);
  const webhooks = await scene.start({
    WEBHOOK_CERTIFICATES: 'self-managed',
    WEBHOOK_CONFIGURATION,
    WEBHOOK_MUTATING_CONFIGURATION,
  });
  await registerWebhooks(kubeconfig, webhooks.port);
  // The API server learns of webhooks and conversions a moment after they are registered.
  await vi.waitFor(async () => {
    const { code, body } = await tried('Metal3Cluster', { spec: {} }, { version: 'v1beta1' });
    if (code !== 422) throw new Error(`${webhooks.missing.join()} ${code}: ${JSON.stringify(body)}`);
  }, PATIENCE);
});
afterAll(async () => {
  for (const [name, verb] of [
    [WEBHOOK_CONFIGURATION, 'validating'],
    [WEBHOOK_MUTATING_CONFIGURATION, 'mutating'],
  ] as const)
    await scene.kube.request({ method: 'DELETE', path: webhookConfigurationPath(name, verb) });
  await server.close();
  await scene.end();
  await plane.close();
});

interface How {
  readonly version?: string;
  readonly name?: string;
  readonly query?: string;
}

const pathOf = (kind: string, version: string, name = ''): string => {
  const plural = kind === 'Metal3Data' ? 'metal3datas' : `${kind.toLowerCase()}s`;
  return `/apis/${GROUP}/${version}/namespaces/${scene.namespace}/${plural}${name === '' ? '' : `/${name}`}`;
};
const create = (kind: string, parts: object, how: How = {}): Promise<Answer> => {
  const { version = 'v1beta2', name = 'test1', query = '' } = how;
  const object = { apiVersion: `${GROUP}/${version}`, kind, metadata: { name }, ...parts };
  return server.send('POST', `${pathOf(kind, version)}${query}`, JSON.stringify(object));
};
const tried = (kind: string, parts: object, how: How = {}): Promise<Answer> =>
  create(kind, parts, { query: '?dryRun=All', ...how });
const read = async (kind: string, version: string, name: string): Promise<Answer['body']> =>
  (await server.send('GET', pathOf(kind, version, name))).body;
const refused = (kind: string, problem: string, name = 'test1'): string =>
  `admission webhook "validation.${kind.toLowerCase()}.${GROUP}" denied the request: ${kind}.${GROUP} "${name}" is invalid: ${problem}`;

describe('an object that was created as v1beta1', () => {
  test('reads as v1beta2, and as it was written, one by one and in a list', async () => {
    const spec = {
      controlPlaneEndpoint: { host: '192.168.0.1', port: 6443 },
      noCloudProvider: false,
      failureDomains: { b: { controlPlane: true }, a: {} },
    };
    expect(await create('Metal3Cluster', { spec }, { version: 'v1beta1', name: 'old' })).toMatchObject({ code: 201 });
    expect(await read('Metal3Cluster', 'v1beta2', 'old')).toMatchObject({
      apiVersion: `${GROUP}/v1beta2`,
      spec: {
        controlPlaneEndpoint: { host: '192.168.0.1', port: 6443 },
        cloudProviderEnabled: true,
        failureDomains: [{ name: 'a' }, { name: 'b', controlPlane: true }],
      },
    });
    const again = { ...spec, cloudProviderEnabled: true };
    expect(await read('Metal3Cluster', 'v1beta1', 'old')).toMatchObject({ spec: again });
    const list = await server.send('GET', pathOf('Metal3Cluster', 'v1beta1'));
    expect(list.body['items']).toMatchObject([{ metadata: { name: 'old' }, spec: again }]);
  });

  test('can be written back as it was read', async () => {
    const spec = {
      customDeploy: { method: 'install_coreos' },
      hostSelector: {},
      dataTemplate: { name: 't', uid: 'u' },
    };
    await create('Metal3Machine', { spec }, { version: 'v1beta1', name: 'old' });
    const now = await read('Metal3Machine', 'v1beta2', 'old');
    expect(now['spec']).toEqual({ customDeploy: { method: 'install_coreos' }, dataTemplate: { name: 't' } });

    const seen = await read('Metal3Machine', 'v1beta1', 'old');
    const path = pathOf('Metal3Machine', 'v1beta1', 'old');
    expect(await server.send('PUT', path, JSON.stringify(seen))).toMatchObject({ code: 200 });
    expect(await read('Metal3Machine', 'v1beta2', 'old')).toMatchObject({ spec: now['spec'] });
    expect((await read('Metal3Machine', 'v1beta2', 'old'))['metadata']).not.toHaveProperty('annotations');
  });

  test('may have a bond whose parameters are numbers, or that has none', async () => {
    const bond = { id: 'bond0', bondMode: 'active-backup', macAddress: { string: '52:54:00:00:00:01' } };
    const bonds = [
      { ...bond, parameters: { miimon: 100 } },
      { ...bond, id: 'bond1' },
    ];
    const spec = { clusterName: 'c', networkData: { links: { bonds } } };
    expect(await create('Metal3DataTemplate', { spec }, { version: 'v1beta1', name: 'old' })).toMatchObject({
      code: 201,
      warnings: expect.arrayContaining([
        expect.stringContaining('spec.clusterName is deprecated and will be removed in a future release.'),
        expect.stringContaining(`${GROUP}/v1beta1 Metal3DataTemplate is deprecated`),
      ]) as unknown,
    });
    expect(await read('Metal3DataTemplate', 'v1beta2', 'old')).toMatchObject({
      spec: { networkData: { links: { bonds: [{ parameters: [{ name: 'miimon', value: 100 }] }, { id: 'bond1' }] } } },
    });
  });

  test('is converted whatever its kind', async () => {
    const reference = { name: 't', kind: 'Metal3DataTemplate' };
    const objects: readonly [string, string, object, object][] = [
      [
        'Metal3ClusterTemplate',
        'old',
        template({ controlPlaneEndpoint: { host: 'h', port: 1 }, failureDomains: { a: {} } }),
        template({ controlPlaneEndpoint: { host: 'h', port: 1 }, failureDomains: [{ name: 'a' }] }),
      ],
      [
        'Metal3MachineTemplate',
        'old',
        template({ image: { url: 'http://i', format: 'live-iso' } }),
        template({ image: { url: 'http://i', checksum: '', diskFormat: 'live-iso' } }),
      ],
      [
        'Metal3Data',
        't-0',
        { claim: { name: 'c' }, template: reference },
        { index: 0, claim: { name: 'c' }, template: { name: 't' } },
      ],
      ['Metal3DataClaim', 'old', { template: reference }, { template: { name: 't' } }],
      ['Metal3Remediation', 'old', healing('5m'), healing(300)],
      ['Metal3RemediationTemplate', 'old', template(healing('5m')), template(healing(300))],
    ];
    for (const [kind, name, old, now] of objects) {
      expect(await create(kind, { spec: old }, { version: 'v1beta1', name }), kind).toMatchObject({ code: 201 });
      expect(await read(kind, 'v1beta2', name), kind).toMatchObject({ spec: now });
    }
  });

  test('may have null where it has nothing: the API server removes it before it is converted', async () => {
    const networks = { ipv4: [{ id: 'i', link: 'l', fromPoolRef: { apiGroup: null, kind: 'IPPool', name: 'p' } }] };
    const spec = { clusterName: 'c', metaData: null, networkData: { networks } };
    const how = { version: 'v1beta1', name: 'null' };
    expect(await create('Metal3DataTemplate', { spec }, how)).toMatchObject({ code: 201 });
    expect(await read('Metal3DataTemplate', 'v1beta2', 'null')).toMatchObject({
      spec: { networkData: { networks: { ipv4: [{ fromPoolRef: { kind: 'IPPool', name: 'p' } }] } } },
    });
    const strategy = { type: 'Reboot', retryLimit: 1, timeout: null };
    expect(await create('Metal3Remediation', { spec: { strategy } }, how)).toMatchObject({ code: 201 });
  });

  test('is refused when it can not be said in v1beta2', async () => {
    const { code, body } = await create('Metal3Remediation', { spec: healing('soon') }, { version: 'v1beta1' });
    expect(code).toBeGreaterThanOrEqual(400);
    expect(body['message']).toContain('strategy.timeout: "soon" is not a duration');
  });

  test('is refused when its failure domains are a list, as they are in v1beta2', async () => {
    const spec = { controlPlaneEndpoint: { host: 'h', port: 1 }, failureDomains: [{ name: 'a', controlPlane: true }] };
    expect(await tried('Metal3Cluster', { spec })).toMatchObject({ code: 201 });
    const { code, body } = await tried('Metal3Cluster', { spec }, { version: 'v1beta1' });
    expect(code).toBeGreaterThanOrEqual(400);
    expect(body['message']).toContain('spec.failureDomains: Invalid value: "array": must be of type object');
  });
});

const template = (spec: object): object => ({ template: { spec } });
const healing = (timeout: string | number): object => ({
  strategy: {
    type: 'Reboot',
    retryLimit: 2,
    ...(typeof timeout === 'string' ? { timeout } : { timeoutSeconds: timeout }),
  },
});

describe('an object that was created as v1beta2', () => {
  test('comes back unchanged from somebody who reads and writes v1beta1', async () => {
    const spec = { image: { url: 'http://i', diskFormat: 'live-iso' }, hostSelector: { matchLabels: { a: 'b' } } };
    await create('Metal3Machine', { spec }, { name: 'new' });
    const status = { status: { initialization: { provisioned: false } } };
    await scene.kube.patch(`${pathOf('Metal3Machine', 'v1beta2', 'new')}/status`, status);
    const seen = await read('Metal3Machine', 'v1beta1', 'new');
    expect(seen).toMatchObject({ spec: { image: { format: 'live-iso' } }, status: { ready: false } });
    const path = pathOf('Metal3Machine', 'v1beta1', 'new');
    expect(await server.send('PUT', path, JSON.stringify(seen))).toMatchObject({ code: 200 });
    expect(
      await server.send('PUT', `${path}/status`, JSON.stringify(await read('Metal3Machine', 'v1beta1', 'new'))),
    ).toMatchObject({ code: 200 });
    const { spec: specNow, status: statusNow } = await read('Metal3Machine', 'v1beta2', 'new');
    expect({ spec: specNow, status: statusNow }).toEqual({ spec, ...status });
  });
});

describe('a write of an object of Cluster API', () => {
  const image = { url: 'http://i', checksum: 'abc' };

  test.each<[string, object, string]>([
    ['Metal3Cluster', {}, 'spec.controlPlaneEndpoint: Invalid value: "": is required'],
    ['Metal3Machine', {}, 'Spec.Image: Required value: either image or customDeploy is required'],
    [
      'Metal3Machine',
      { image, userData: { name: 's', namespace: 'x' } },
      'spec.userData.namespace: Forbidden: cross-namespace secret references are not allowed',
    ],
    [
      'Metal3MachineTemplate',
      template({ image: { url: 'http://i' } }),
      'Spec.Template.Spec.Image.Checksum: Required value: cannot be empty',
    ],
    [
      'Metal3DataTemplate',
      { networkData: { networks: { ipv4: [{ id: 'a', link: 'b' }] } } },
      'spec.networkData.networks.ipv4.0.fromPoolRef.name: Required value: fromPoolRef needs to contain a reference to an IPPool',
    ],
    [
      'Metal3Data',
      { index: 1, template: { name: 't' } },
      'name: Invalid value: "test1": should follow the convention <Metal3Template Name>-<index>',
    ],
    ['Metal3DataClaim', {}, 'spec.template.name: Invalid value: "": must be set'],
    [
      'Metal3Remediation',
      { strategy: {} },
      'spec.strategy.type: Invalid value: "": is only supported remediation strategy',
    ],
  ])('is refused with what is wrong with a %s: %j', async (kind, spec, problem) => {
    expect(await tried(kind, { spec })).toMatchObject({
      code: 422,
      body: { reason: 'Invalid', message: refused(kind, problem) },
    });
  });

  test('is refused with all problems at once, and with each field for programs', async () => {
    const { body } = await tried('Metal3Machine', {
      spec: { image: { url: 'oci://i', checksum: 'a', checksumType: 'md5' } },
    });
    expect(body).toMatchObject({
      message: refused(
        'Metal3Machine',
        '[Spec.Image.Checksum: Forbidden: must be empty for OCI images, Spec.Image.ChecksumType: Forbidden: must be empty for OCI images]',
      ),
      details: {
        causes: ['Spec.Image.Checksum', 'Spec.Image.ChecksumType'].map((field) => ({
          reason: 'FieldValueForbidden',
          message: 'Forbidden: must be empty for OCI images',
          field,
        })),
      },
    });
  });

  test('is refused with one sentence about what a Metal3ClusterTemplate lacks', async () => {
    expect(await tried('Metal3ClusterTemplate', { spec: template({}) })).toMatchObject({
      code: 403,
      body: {
        message: `admission webhook "validation.metal3clustertemplate.${GROUP}" denied the request: missing fields from Spec: [ControlPlaneEndpoint.Host ControlPlaneEndpoint.Port]`,
      },
    });
  });

  test('is refused with the same in v1beta1', async () => {
    const { body } = await tried('Metal3Machine', { spec: {} }, { version: 'v1beta1' });
    expect(body['message']).toBe(
      refused('Metal3Machine', 'Spec.Image: Required value: either image or customDeploy is required'),
    );
  });

  test('can not change what a Metal3Data and a Metal3DataTemplate are made of', async () => {
    await create('Metal3Data', { spec: { index: 3, template: { name: 'fixed' } } }, { name: 'fixed-3' });
    await create('Metal3DataTemplate', { spec: {} }, { name: 'fixed' });
    const change = (kind: string, name: string, spec: object): Promise<unknown> =>
      scene.kube.patch(pathOf(kind, 'v1beta2', name), { spec }).then(
        () => 'accepted',
        (error: Error) => error.message,
      );
    expect(await change('Metal3Data', 'fixed-3', { index: 4 })).toContain(
      refused('Metal3Data', 'spec.Index: Invalid value: 4: cannot be modified', 'fixed-3'),
    );
    expect(await change('Metal3DataTemplate', 'fixed', { metaData: {} })).toContain(
      refused('Metal3DataTemplate', 'spec.MetaData: Invalid value: {}: cannot be modified', 'fixed'),
    );
    expect(await change('Metal3DataTemplate', 'fixed', { clusterName: 'c' })).not.toContain('denied');
  });

  test.each(['v1beta1', 'v1beta2'])('may ask for a range of one label, created and updated: %s', async (version) => {
    const matchExpressions = [
      { key: 'cpus', operator: 'Gt', values: ['31'] },
      { key: 'cpus', operator: 'Lt', values: ['65'] },
    ];
    const image = { url: 'https://images.example.com/bar', checksum: 'https://images.example.com/bar.sha256sum' };
    const spec = (more: object) => template({ image, hostSelector: { matchExpressions }, ...more });
    const name = `range-${version}`;
    const created = await create('Metal3MachineTemplate', { spec: spec({}) }, { version, name });
    expect(created.body['message']).toBeUndefined();
    const changed = spec({ automatedCleaningMode: 'disabled' });
    await scene.kube.patch(pathOf('Metal3MachineTemplate', version, name), { spec: changed });
    expect(await read('Metal3MachineTemplate', version, name)).toMatchObject({ spec: changed });
  });

  test('finds filled in what they left out', async () => {
    const endpoint = { host: 'h' };
    expect(await tried('Metal3Cluster', { spec: { controlPlaneEndpoint: endpoint } })).toMatchObject({
      body: { spec: { controlPlaneEndpoint: { host: 'h', port: 6443 }, cloudProviderEnabled: false } },
    });
    expect(await tried('Metal3RemediationTemplate', { spec: template({}) })).toMatchObject({
      body: { spec: template({ strategy: { type: 'Reboot', retryLimit: 1, timeoutSeconds: 600 } }) },
    });
    for (const strategy of [{ type: '', retryLimit: 1 }, { type: 'Reboot', retryLimit: 0 }, { type: '' }]) {
      expect(await tried('Metal3RemediationTemplate', { spec: template({ strategy }) })).toMatchObject({
        code: 201,
        body: { spec: template({ strategy: { type: 'Reboot', retryLimit: 1, timeoutSeconds: 600 } }) },
      });
    }
    const old = await tried('Metal3RemediationTemplate', { spec: template({ strategy: {} }) }, { version: 'v1beta1' });
    expect(old).toMatchObject({
      body: { spec: template({ strategy: { type: 'Reboot', retryLimit: 1, timeout: '10m0s' } }) },
    });
  });
});

describe('the rules', () => {
  const IPAM = 'ipam.metal3.io/v1alpha1';
  const send = (method: 'POST', plural: string, object: object, query = ''): Promise<Answer> =>
    server.send(method, `/apis/${IPAM}/namespaces/${scene.namespace}/${plural}${query}`, JSON.stringify(object));
  const pool = (spec: object) => ({
    apiVersion: IPAM,
    kind: 'IPPool',
    metadata: { name: 'lan' },
    spec: { namePrefix: 'p', pools: [{ start: '10.0.0.1', end: '10.0.0.5' }], ...spec },
  });

  test('of a pool are those of ip-address-manager', async () => {
    const outside = await send('POST', 'ippools', pool({ preAllocations: { c: '10.0.0.9' } }), '?dryRun=All');
    expect(outside).toMatchObject({
      code: 422,
      body: {
        message:
          'admission webhook "validation.ippool.ipam.metal3.io" denied the request: IPPool.ipam.metal3.io "lan" is invalid: ' +
          'spec.preAllocations: Invalid value: "10.0.0.9": is out of bonds of the pools given',
      },
    });
    const made = await send('POST', 'ippools', pool({ allocationStrategy: '' }));
    expect(made).toMatchObject({ code: 201, body: { spec: { allocationStrategy: 'sequential' } } });
    const path = `/apis/${IPAM}/namespaces/${scene.namespace}/ippools/lan`;
    await scene.kube.patch(`${path}/status`, { status: { indexes: { a: '10.0.0.5' } } });
    const change = scene.kube.patch(path, { spec: { pools: [{ start: '10.0.0.1', end: '10.0.0.4' }] } });
    await expect(change).rejects.toThrow('"10.0.0.5": is in use but out of bounds of the pools given');
  });

  test('of claims and addresses, too', async () => {
    const claim = { apiVersion: IPAM, kind: 'IPClaim', metadata: { name: 'c' }, spec: { pool: {} } };
    expect(await send('POST', 'ipclaims', claim)).toMatchObject({
      code: 422,
      body: { message: expect.stringContaining('spec.pool.name: Invalid value: "": cannot be empty') as unknown },
    });
    const spec = { address: '10.0.0.1', pool: { name: 'lan' }, claim: {} };
    const address = { apiVersion: IPAM, kind: 'IPAddress', metadata: { name: 'a' }, spec };
    expect(await send('POST', 'ipaddresses', address)).toMatchObject({
      code: 422,
      body: { message: expect.stringContaining('spec.claim.name: Invalid value: "": cannot be empty') as unknown },
    });
  });
});
