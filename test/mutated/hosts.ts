import fc from 'fast-check';
import { bareMetalHostSpec } from '../../api/baremetalhost/spec.ts';
import { ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { structural } from '../../api/structural.ts';
import { FAIL_ANNOTATION, FAILING } from '../../domain/fixture/failing.ts';
import { valuesOf } from './from-schema.ts';
import { type Mutation, mutated, mutationsOf } from './mutate.ts';
import { bmcAddress, oddText } from './odd-texts.ts';

type Json = Readonly<Record<string, unknown>>;

export interface MadeUpHost {
  readonly name: string;
  readonly manifest: Json;
  /** Empty: the manifest is valid according to its schema. */
  readonly mutations: readonly Mutation[];
  /** The content of its BMC Secret; undefined when there is none. */
  readonly secret: Readonly<Record<string, string>> | undefined;
}

const annotations = fc.dictionary(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...Object.values(ANNOTATIONS), 'reboot.metal3.io/me', FAIL_ANNOTATION) },
    { weight: 1, arbitrary: fc.constantFrom('example.org/other', 'metal3.io/unknown') },
  ),
  fc.oneof(
    oddText.filter((text) => text.length < 1_000),
    fc.constantFrom('{"mode":"hard","force":true}', '{"force":"yes"}', '{"deleteAction":"delay"}', 'disabled', ''),
    fc.constantFrom(
      '{"provisioning":5}',
      '{"provisioning":{"state":"nowhere","ID":7},"operationHistory":[]}',
      '{"provisioning":{"state":"provisioned","ID":"../x","image":{"url":"http://a"}},"poweredOn":"yes"}',
      '{"cpu":{"count":"many"}}',
    ),
    fc.subarray([...FAILING]).map((failing) => failing.join()),
  ),
  { maxKeys: 3, noNullPrototype: true },
);

const login = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20 }),
  oddText.filter((text) => text.length < 1_000),
);
const secret = fc.option(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ username: login, password: login }, { noNullPrototype: true }) },
    { weight: 1, arbitrary: fc.record({ username: login }, { noNullPrototype: true }) },
    { weight: 1, arbitrary: fc.constant({ username: ' ', password: '\n' }) },
    { weight: 1, arbitrary: fc.record({ value: login }, { noNullPrototype: true }) },
  ),
  { freq: 5, nil: undefined },
);

/** Placeholder for the name of the Secret that is created for the host. */
const OWN_SECRET = 'own-secret';

const spec = valuesOf(structural(bareMetalHostSpec, 'spec'), 'spec', {
  'spec.bmc.address': bmcAddress,
  'spec.bmc.credentialsName': fc.oneof(
    { weight: 6, arbitrary: fc.constant(OWN_SECRET) },
    { weight: 1, arbitrary: oddText },
  ),
});

/** Two in three match their schema, with odd texts; one in three has one to three invalid values. */
const host = fc
  .record({ annotations, spec, secret, isSpoilt: fc.constantFrom(true, false, false) }, { noNullPrototype: true })
  .chain(({ annotations: marks, spec: wish, secret: content, isSpoilt }) => {
    const body = { metadata: { annotations: marks }, spec: wish };
    return (isSpoilt ? mutationsOf(body) : fc.constant([])).map((mutations) => ({
      body: mutated(body, mutations),
      mutations,
      secret: content,
    }));
  });

/** This number of hosts, the same ones for the same seed. */
export const madeUpHosts = (count: number, seed: number): readonly MadeUpHost[] =>
  fc.sample(host, { numRuns: count, seed }).map(({ body, ...rest }, index) => {
    const name = `made-up-${String(index).padStart(5, '0')}`;
    const { metadata, ...more } = withOwnSecret(body, name);
    const named = typeof metadata === 'object' && !Array.isArray(metadata) ? { ...metadata, name } : { name };
    return {
      ...rest,
      name,
      manifest: { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', metadata: named, ...more },
    };
  });

const withOwnSecret = (body: Json, name: string): Json =>
  JSON.parse(JSON.stringify(body).replaceAll(`"${OWN_SECRET}"`, JSON.stringify(secretName(name)))) as Json;

export const secretName = (host: string): string => `${host}-bmc`;
