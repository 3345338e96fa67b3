import { z } from 'zod';
import { ANNOTATION_SCHEMAS } from '../../api/baremetalhost/annotation-schemas.ts';
import { parseBareMetalHost } from '../../api/baremetalhost/parse.ts';
import { INFRASTRUCTURE_GROUP } from '../../api/infrastructure.ts';
import { hostRules } from '../../domain/admission/baremetalhost.ts';
import { dataImageRules } from '../../domain/admission/dataimage.ts';
import {
  metal3ClusterDefaults,
  metal3ClusterRules,
  metal3ClusterTemplateRules,
} from '../../domain/admission/infrastructure/metal3cluster.ts';
import { metal3DataClaimRules, metal3DataRules } from '../../domain/admission/infrastructure/metal3data.ts';
import { metal3DataTemplateRules } from '../../domain/admission/infrastructure/metal3datatemplate.ts';
import { metal3MachineRules, metal3MachineTemplateRules } from '../../domain/admission/infrastructure/metal3machine.ts';
import {
  metal3RemediationRules,
  metal3RemediationTemplateDefaults,
  metal3RemediationTemplateRules,
} from '../../domain/admission/infrastructure/metal3remediation.ts';
import { type Annotated, ipAddressRules, ipClaimRules } from '../../domain/admission/ipam/claims.ts';
import { ipPoolDefaults, ipPoolRules, type JudgedPool } from '../../domain/admission/ipam/ippool.ts';
import type { Judged, Rules } from '../../domain/admission/rules.ts';
import {
  type AdmittedKind,
  admitted,
  type DefaultedKind,
  defaulted,
  type Group,
  UnreadableObject,
} from './admitted.ts';
import { problemsOfSpec } from './shapes.ts';

export interface KindsOptions {
  readonly fakeHardware: boolean;
}

/** One line for each kind with rules. */
export const admittedKinds = ({ fakeHardware }: KindsOptions): readonly AdmittedKind[] => [
  admitted(METAL3, 'BareMetalHost', readHost, hostRules({ schemas: ANNOTATION_SCHEMAS, fakeHardware })),
  admitted(METAL3, 'DataImage', (object) => dataImage.parse(object), dataImageRules),
  infrastructure('Metal3Cluster', metal3ClusterRules),
  infrastructure('Metal3ClusterTemplate', metal3ClusterTemplateRules),
  infrastructure('Metal3Machine', metal3MachineRules),
  infrastructure('Metal3MachineTemplate', metal3MachineTemplateRules),
  infrastructure('Metal3DataTemplate', metal3DataTemplateRules),
  infrastructure('Metal3Data', metal3DataRules),
  infrastructure('Metal3DataClaim', metal3DataClaimRules),
  infrastructure('Metal3Remediation', metal3RemediationRules),
  infrastructure('Metal3RemediationTemplate', metal3RemediationTemplateRules),
  ipam('IPPool', readPool, ipPoolRules),
  ipam('IPClaim', readAnnotated, ipClaimRules),
  ipam('IPAddress', readAnnotated, ipAddressRules),
];

const METAL3: Group = { name: 'metal3.io', version: 'v1alpha1', prefix: { validate: '', mutate: '' } };
const INFRASTRUCTURE: Group = {
  name: INFRASTRUCTURE_GROUP,
  version: 'v1beta2',
  prefix: { validate: 'validation.', mutate: 'default.' },
};

const IPAM: Group = {
  name: 'ipam.metal3.io',
  version: 'v1alpha1',
  prefix: { validate: 'validation.', mutate: 'default.' },
};

function readHost(object: unknown): Extract<ReturnType<typeof parseBareMetalHost>, { readonly ok: true }>['host'] {
  const parsed = parseBareMetalHost(object);
  if (parsed.ok) return parsed.host;
  throw new UnreadableObject(parsed.problems.join('; '));
}

const dataImage = z.object({ spec: z.object({ url: z.string() }) });

/** The API server sends objects in v1beta2, whichever version was written. */
const infrastructure = <Spec>(kind: string, rules: Rules<Judged<Spec>>): AdmittedKind =>
  admitted(
    INFRASTRUCTURE,
    kind,
    (object) => judged.parse(object) as unknown as Judged<Spec>,
    rules,
    (object) => problemsOfSpec({ ...withSpec.parse(object), apiVersion: INFRASTRUCTURE_VERSION, kind }),
  );

const INFRASTRUCTURE_VERSION = `${INFRASTRUCTURE.name}/${INFRASTRUCTURE.version}`;
const withSpec = z.object({ spec: z.unknown().optional() });

const judged = z.object({
  metadata: z.object({ name: z.string().default(''), namespace: z.string().default('') }),
  spec: z.looseObject({}).default({}),
});

function ipam<Object>(kind: string, read: (object: unknown) => Object, rules: Rules<Object>): AdmittedKind {
  const apiVersion = `${IPAM.name}/${IPAM.version}`;
  return admitted(IPAM, kind, read, rules, (object) => problemsOfSpec({ ...withSpec.parse(object), apiVersion, kind }));
}

const pool = judged.extend({
  status: z
    .object({ indexes: z.record(z.string(), z.string()).default({}) })
    .default({ indexes: {} })
    .catch({ indexes: {} }),
});

function readPool(object: unknown): JudgedPool {
  const { metadata, spec, status } = pool.parse(object);
  return { metadata, spec, inUse: Object.values(status.indexes) };
}

const annotated = judged.extend({
  metadata: judged.shape.metadata.extend({ annotations: z.record(z.string(), z.string()).nullish() }),
});

function readAnnotated<Spec extends object>(object: unknown): Annotated<Partial<Spec>> {
  const { metadata, spec } = annotated.parse(object);
  return { metadata, spec: spec as Partial<Spec>, annotations: metadata.annotations ?? {} };
}

const endpoint = z.looseObject({ port: z.number().optional() });
const strategy = z.looseObject({
  type: z.string().optional(),
  timeoutSeconds: z.number().optional(),
  retryLimit: z.number().optional(),
});

/** One entry for each kind with defaults that its CRD cannot express. */
export const defaultedKinds: readonly DefaultedKind[] = [
  defaulted(
    INFRASTRUCTURE,
    'Metal3Cluster',
    z
      .looseObject({ controlPlaneEndpoint: endpoint.optional(), cloudProviderEnabled: z.boolean().optional() })
      .default({}),
    (spec) => metal3ClusterDefaults(spec),
  ),
  defaulted(
    INFRASTRUCTURE,
    'Metal3RemediationTemplate',
    z.looseObject({ template: z.looseObject({ spec: z.looseObject({ strategy: strategy.optional() }) }) }),
    (spec) => metal3RemediationTemplateDefaults(spec),
  ),
  defaulted(IPAM, 'IPPool', z.looseObject({}), ipPoolDefaults),
];
