import { z } from 'zod';
import { parseBareMetalHost } from '../../api/baremetalhost/parse.ts';
import { groupOf } from '../../domain/cluster-api/names.ts';
import { FOREIGN_API, FOREIGN_KINDS } from '../../domain/migration/foreign-kinds.ts';
import { MARKS } from '../../domain/migration/marks.ts';
import type { KindSeen, MigrationSurvey, ObjectSeen, WebhookSeen } from '../../domain/migration/survey.ts';
import { OPERATORS } from '../../domain/other-operators/operators.ts';
import { type Kube, KubeError } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { listAll } from '../../kube/list-all.ts';
import { readObject } from '../../kube/objects/any-object.ts';
import { readHost } from '../../kube/objects/baremetalhost.ts';
import { conditionsOf } from '../../kube/objects/conditions.ts';
import { managedEntries } from '../../kube/objects/managed.ts';
import { leasesNamed } from '../../kube/other-operators.ts';
import { collectionPath, crdOf, definitionPath, type Resource } from '../../kube/paths.ts';
import { ALL_DEPLOYMENTS, deploymentSeen } from '../deployments.ts';
import { type Definition, readDefinition, readWebhooks, type ServiceRef, serviceSeen } from './webhooks.ts';

type Reader = Pick<Kube, 'find' | 'request'>;

/** A kind to look at. */
interface Looked extends Resource {
  readonly kind: string;
  /** Temper has it. */
  readonly isTempers: boolean;
}

const LOOKED: readonly Looked[] = [
  ...Object.values(KINDS)
    .filter((kind) => crdOf(kind) in MARKS && !crdOf(kind).startsWith('machines.'))
    .map((kind) => ({ ...kind, isTempers: true })),
  ...FOREIGN_KINDS.map(({ kind, plural }) => ({ kind, plural, apiVersion: FOREIGN_API, isTempers: false })),
];
/** Kinds of Cluster API that Temper reads. Of them only the version counts. */
const READ: readonly Looked[] = [KINDS.cluster, KINDS.machine].map((kind) => ({ ...kind, isTempers: true }));

/** A survey, and what could not be read for it. */
export interface ReadForMigration {
  readonly survey: MigrationSurvey;
  readonly unread: readonly string[];
}

/** Reads what there is. Throws when the API server cannot be reached; what it refuses is noted. */
export async function readSurvey(kube: Reader): Promise<ReadForMigration> {
  const unread: string[] = [];
  const unlessRefused = async <T>(what: string, reading: Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await reading;
    } catch (error) {
      if (!(error instanceof KubeError) || error.status === 0) throw error;
      unread.push(`${what}: ${error.words}`);
      return otherwise;
    }
  };
  const all = async (what: string, path: string): Promise<readonly unknown[]> =>
    unlessRefused(what, listAll(kube, path), []);
  const definitionOf = async (kind: Looked): Promise<Definition | undefined> => {
    const found = await unlessRefused(
      `CustomResourceDefinition ${crdOf(kind)}`,
      kube.find(definitionPath(crdOf(kind))),
      undefined,
    );
    return found === undefined ? undefined : readDefinition(found);
  };
  /** Its objects in this version, or else in the newest one that is served. */
  const objectsOf = async (kind: Looked, served: readonly string[]): Promise<readonly ObjectSeen[]> => {
    const [group, version = ''] = kind.apiVersion.split('/');
    const used = served.includes(version) ? version : served.at(-1);
    if (used === undefined) return [];
    const path = collectionPath({ ...kind, apiVersion: `${group}/${used}` }, undefined);
    return (await all(`${kind.kind}s`, path)).map((object) => objectSeen(kind, object));
  };

  const kinds: KindSeen[] = [];
  const definitions: Definition[] = [];
  for (const kind of [...LOOKED, ...READ]) {
    const definition = await definitionOf(kind);
    if (definition !== undefined) definitions.push(definition);
    const served = definition?.served ?? [];
    kinds.push({
      crd: crdOf(kind),
      kind: kind.kind,
      ...(kind.isTempers && { version: kind.apiVersion.split('/').at(-1) ?? '' }),
      served,
      objects: READ.includes(kind) ? [] : await objectsOf(kind, served),
    });
  }

  const leases = await Promise.all(
    OPERATORS.map(({ lease }) => unlessRefused(`Leases ${lease}`, leasesNamed(kube, lease), [])),
  );
  const deployments = await all('Deployments', ALL_DEPLOYMENTS);
  const configured = await Promise.all(
    WEBHOOKS.map(async ([kind, plural]) =>
      readWebhooks(kind, await all(`${kind}s`, `/apis/admissionregistration.k8s.io/v1/${plural}`), isLookedGroup),
    ),
  );
  const asked = [...configured.flat(), ...definitions.flatMap(({ conversion }) => conversion ?? [])];
  const webhooks = await Promise.all(
    asked.map(async ({ service, ...webhook }): Promise<WebhookSeen> => {
      const seen = await unlessRefused(inWords(service), serviceSeen(kube, service), {
        isServed: true,
        isTempers: false,
      });
      return { ...webhook, server: inWords(service), namespace: service.namespace, ...seen };
    }),
  );
  return {
    survey: { leases: leases.flat(), deployments: deployments.map(deploymentSeen), webhooks, kinds },
    unread: [...new Set(unread)],
  };
}

const WEBHOOKS = [
  ['ValidatingWebhookConfiguration', 'validatingwebhookconfigurations'],
  ['MutatingWebhookConfiguration', 'mutatingwebhookconfigurations'],
] as const;

const inWords = ({ namespace, name }: ServiceRef): string => `Service ${namespace}/${name}`;

const GROUPS: readonly string[] = LOOKED.map(({ apiVersion }) => groupOf(apiVersion));
const isLookedGroup = (group: string): boolean => GROUPS.includes(group);

function objectSeen({ kind }: Looked, object: unknown): ObjectSeen {
  const { metadata: meta, spec, status } = readObject(object);
  return {
    namespace: meta.namespace,
    name: meta.name,
    isDeleting: meta.deletionTimestamp !== undefined,
    annotations: Object.keys(meta.annotations),
    finalizers: meta.finalizers,
    conditions: conditionsOf(status).map(({ type }) => type),
    managed: managedEntries(object),
    asks: asksIn(kind, spec),
    ...(kind === KINDS.host.kind && { host: hostSeen(object) }),
  };
}

const settings = z.object({ settings: z.record(z.string(), z.unknown()).catch({}) });
const updates = z.object({ updates: z.array(z.unknown()).catch([]) });

/** baremetal-operator makes these objects for every host: what they ask for is in one field. */
function asksIn(kind: string, spec: Readonly<Record<string, unknown>>): boolean {
  if (kind === 'HostFirmwareSettings') return Object.keys(settings.parse(spec).settings).length > 0;
  if (kind === 'HostFirmwareComponents') return updates.parse(spec).updates.length > 0;
  return true;
}

function hostSeen(object: unknown): NonNullable<ObjectSeen['host']> {
  const parsed = parseBareMetalHost(object);
  const { status, operationalStatus, bmcAddress } = readHost(object);
  return { state: status.state, operationalStatus, bmcAddress, problems: parsed.ok ? [] : parsed.problems };
}
