import { describe, expect, test } from 'vitest';
import { answerConversion } from './convert.ts';
import { admittedKinds, defaultedKinds } from './kinds.ts';
import { answerDefaults, answerReview } from './review.ts';

const GROUP = 'infrastructure.cluster.x-k8s.io';
const TEMPLATES = ['Metal3ClusterTemplate', 'Metal3MachineTemplate', 'Metal3RemediationTemplate'];
const [OLD, NEW] = [`${GROUP}/v1beta1`, `${GROUP}/v1beta2`];

const admitted = new Map(admittedKinds({ fakeHardware: false }).map((kind) => [kind.kind, kind]));

function judged(kind: string, spec: unknown, before?: unknown): unknown {
  const admits = admitted.get(kind);
  if (admits === undefined) return undefined;
  const object = (of: unknown): object => ({ apiVersion: NEW, kind, metadata: { name: 'odd' }, spec: of });
  const request = {
    uid: 'u1',
    operation: before === undefined ? 'CREATE' : 'UPDATE',
    object: object(spec),
    ...(before !== undefined && { oldObject: object(before) }),
  };
  return answerReview(admits, { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }).answer;
}

function converted(kind: string, from: string, spec: unknown): unknown {
  const objects = [{ apiVersion: from, kind, metadata: { name: 'odd' }, spec }];
  const request = { uid: 'u1', desiredAPIVersion: from === OLD ? NEW : OLD, objects };
  return answerConversion({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request }).answer;
}

const INCOMPLETE: readonly (readonly [unknown, string])[] = [
  ['text', 'spec: Invalid value: "string": must be of type object'],
  [{}, 'spec.template: Required value: must be an object'],
  [{ template: null }, 'spec.template: Invalid value: "null": must be of type object'],
  [{ template: {} }, 'spec.template.spec: Required value: must be an object'],
  [{ template: { spec: [] } }, 'spec.template.spec: Invalid value: "array": must be of type object'],
];

describe.each(TEMPLATES)('a %s', (kind) => {
  test.each([[undefined, 'spec: Required value: must be an object'] as const, ...INCOMPLETE])(
    'with the spec %j is refused with the field that is wrong',
    (spec, problem) => {
      const message = `${kind}.${GROUP} "odd" is invalid: ${problem}`;
      expect(judged(kind, spec)).toMatchObject({
        response: { allowed: false, status: { code: 422, reason: 'Invalid', message } },
      });
    },
  );

  test.each(
    [OLD, NEW].flatMap((version) =>
      INCOMPLETE.filter(([, problem]) => version === OLD || !problem.includes('Required')).map(
        ([spec, problem]) => [version, spec, problem] as const,
      ),
    ),
  )('of %s with the spec %j is not converted, with the field that is wrong', (version, spec, problem) => {
    expect(converted(kind, version, spec)).toMatchObject({
      response: { uid: 'u1', result: { status: 'Failure', message: `${kind} "odd": ${problem}` } },
    });
  });
});

describe.each(TEMPLATES)('a stored %s', (kind) => {
  test.each([undefined, {}, { template: {} }])('with the spec %j, as upstream stores it, is converted', (spec) => {
    expect(converted(kind, NEW, spec)).toMatchObject({
      response: { result: { status: 'Success' }, convertedObjects: [{ spec: { template: { spec: {} } } }] },
    });
  });
});

describe('an object of v1beta1', () => {
  const domains = [{ name: 'rack-a', controlPlane: true }];
  const field = (path: string, found: string, type: string): string =>
    `${path}: Invalid value: "${found}": must be of type ${type}`;
  test.each([
    ['Metal3Cluster', { failureDomains: domains }, field('spec.failureDomains', 'array', 'object')],
    [
      'Metal3ClusterTemplate',
      { template: { spec: { failureDomains: domains } } },
      field('spec.template.spec.failureDomains', 'array', 'object'),
    ],
    ['Metal3Cluster', { noCloudProvider: 'no' }, field('spec.noCloudProvider', 'string', 'boolean')],
    ['Metal3Machine', { image: { url: 'http://i', checksum: 7 } }, field('spec.image.checksum', 'number', 'string')],
    [
      'Metal3DataTemplate',
      { clusterName: 'c', templateReference: {} },
      field('spec.templateReference', 'object', 'string'),
    ],
    [
      'Metal3DataTemplate',
      {
        clusterName: 'c',
        networkData: { links: { bonds: [{ id: 'b', bondMode: 'x', macAddress: {}, parameters: [] }] } },
      },
      field('spec.networkData.links.bonds[0].parameters', 'array', 'object'),
    ],
    ['Metal3Remediation', { strategy: { timeout: 600 } }, field('spec.strategy.timeout', 'number', 'string')],
  ])(
    'of kind %s with %j is not converted: what conversion drops or changes has the type of its schema',
    (kind, spec, problem) => {
      expect(converted(kind, OLD, spec)).toMatchObject({
        response: { result: { status: 'Failure', message: `${kind} "odd": ${problem}` } },
      });
    },
  );
});

describe('a Metal3RemediationTemplate', () => {
  const kind = defaultedKinds.find((each) => each.kind === 'Metal3RemediationTemplate');
  test.each([
    [{ type: '' }, 'Reboot'],
    [{ type: '', retryLimit: 0, timeoutSeconds: 0 }, 'Reboot'],
    [{ type: 'Reboot', retryLimit: 0 }, 'Reboot'],
    [{ type: 'Reboot', retryLimit: -1 }, 'Reboot'],
    [{ type: 'Poweroff', retryLimit: 0 }, 'Poweroff'],
  ])('with the strategy %j gets a value for each that is empty', (strategy, type) => {
    expect(kind?.defaults({ spec: { template: { spec: { strategy } } } })).toEqual({
      template: { spec: { strategy: { type, retryLimit: 1, timeoutSeconds: 600 } } },
    });
  });
});

describe('an object whose kind has defaults', () => {
  const WRONG: Readonly<Record<string, readonly (readonly [spec: unknown, problem: string])[]>> = {
    Metal3Cluster: [
      ['text', 'spec: Invalid value: "string": must be of type object'],
      [
        { controlPlaneEndpoint: 'a:6443' },
        'spec.controlPlaneEndpoint: Invalid value: "string": must be of type object',
      ],
      [
        { controlPlaneEndpoint: { host: 7, port: '6443' } },
        '[spec.controlPlaneEndpoint.host: Invalid value: "number": must be of type string, spec.controlPlaneEndpoint.port: Invalid value: "string": must be of type integer]',
      ],
      [{ failureDomains: {} }, 'spec.failureDomains: Invalid value: "object": must be of type array'],
    ],
    Metal3RemediationTemplate: [[{ template: [] }, 'spec.template: Invalid value: "array": must be of type object']],
    IPPool: [[{ pools: 'all' }, 'spec.pools: Invalid value: "string": must be of type array']],
  };
  const answered = (name: string, spec: unknown, operation = 'CREATE'): unknown => {
    const kind = defaultedKinds.find((each) => each.kind === name);
    if (kind === undefined) throw new Error(`${name} has no defaults`);
    const request = { uid: 'u1', operation, object: { metadata: { name: 'odd' }, spec } };
    return answerDefaults(kind, { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }).answer;
  };

  test.each(defaultedKinds.flatMap(({ kind }) => (WRONG[kind] ?? []).map((each) => [kind, ...each] as const)))(
    'is refused as one that cannot be read: %s with the spec %j',
    (kind, spec, message) => {
      const status = { code: 400, reason: 'BadRequest', message };
      for (const operation of ['CREATE', 'UPDATE'])
        expect(answered(kind, spec, operation)).toMatchObject({ response: { allowed: false, status } });
      expect(answered(kind, spec, 'DELETE')).toMatchObject({ response: { allowed: true } });
    },
  );

  test('is tested in each kind', () => {
    expect(Object.keys(WRONG).toSorted()).toEqual(defaultedKinds.map(({ kind }) => kind).toSorted());
  });

  test.each([undefined, {}, { template: {} }, { controlPlaneEndpoint: null }])(
    'is left to the API server with the spec %j, which has all types right',
    (spec) => {
      for (const { kind } of defaultedKinds)
        expect(answered(kind, spec)).toMatchObject({ response: { allowed: true } });
    },
  );
});

describe('an object that was stored before its kind was validated', () => {
  test('can be corrected', () => {
    const spec = { template: { spec: { image: { url: 'http://i', checksum: 'c' } } } };
    expect(judged('Metal3MachineTemplate', spec, {})).toMatchObject({ response: { allowed: true } });
  });
});

describe('an object with thousands of levels', () => {
  const nested = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as unknown;

  test('is refused, and neither converted nor validated', () => {
    const parameters = { deep: nested };
    const bonds = [{ id: 'b', bondMode: 'active-backup', macAddress: {}, parameters }];
    const spec = { networkData: { links: { bonds } } };
    expect(converted('Metal3DataTemplate', OLD, spec)).toMatchObject({
      response: {
        result: { status: 'Failure', message: expect.stringContaining('has more than 500 levels') as unknown },
      },
    });
    expect(judged('Metal3DataTemplate', spec)).toMatchObject({
      response: { allowed: false, status: { message: expect.stringContaining('has more than 500 levels') as unknown } },
    });
  });
});

describe('a request that is no review', () => {
  test('is refused under its uid, because the API server shows no other refusal', () => {
    const body = { kind: 'ConversionReview', request: { uid: 'u7', objects: 'none' } };
    expect(answerConversion(body).answer).toMatchObject({ response: { uid: 'u7', result: { status: 'Failure' } } });
    const [admits] = admitted.values();
    expect(admits && answerReview(admits, body).answer).toMatchObject({ response: { uid: 'u7', allowed: false } });
  });
});
