import { isDeepStrictEqual } from 'node:util';
import { type CustomResourceDefinition, storedVersion } from '../../deploy/crds/definition.ts';
import type { Answer, ApiServer } from './api-server.ts';
import { minimal } from './samples.ts';
import type { Cause, Manifest, Verdict } from './verdict.ts';

export interface Judge {
  judge(manifest: Manifest): Promise<Verdict>;
  close(): Promise<void>;
}

interface Standing {
  readonly name: string;
  readonly resourceVersion: string;
}

/**
 * Asks an API server with a dry run whether it accepts a manifest. Only one object of each kind with a status is
 * stored, in a namespace that is deleted at the end.
 */
export async function openJudge(server: ApiServer, definitions: readonly CustomResourceDefinition[]): Promise<Judge> {
  const namespace = `verdicts-${crypto.randomUUID().slice(0, 8)}`;
  await create(server, '/api/v1/namespaces', JSON.stringify({ metadata: { name: namespace } }));
  const standing = new Map<string, Promise<Standing>>();

  const definitionOf = (kind: string): CustomResourceDefinition => {
    const definition = definitions.find(({ spec }) => spec.names['kind'] === kind);
    if (definition === undefined) throw new Error(`no CRD defines the kind ${kind}`);
    return definition;
  };
  const pathOf = (kind: string): string => {
    const { group, names } = definitionOf(kind).spec;
    return `/apis/${group}/${storedVersion(definitionOf(kind)).name}/namespaces/${namespace}/${String(names['plural'])}`;
  };
  const objectOf = (kind: string, metadata: object, fields: string): string => {
    const { group } = definitionOf(kind).spec;
    const head = { apiVersion: `${group}/${storedVersion(definitionOf(kind)).name}`, kind, metadata };
    const rest = fields.slice(1, -1).trim();
    return `${JSON.stringify(head).slice(0, -1)}${rest === '' ? '' : `,${rest}`}}`;
  };
  /** The object to which statuses are written; it is created once. */
  const standingObject = (kind: string): Promise<Standing> => {
    const spec = storedVersion(definitionOf(kind)).schema.openAPIV3Schema.properties?.['spec'];
    const fields = JSON.stringify(spec === undefined ? {} : { spec: minimal(spec) });
    const made =
      standing.get(kind) ??
      create(server, pathOf(kind), objectOf(kind, { name: 'standing' }, fields)).then((resourceVersion) => ({
        name: 'standing',
        resourceVersion,
      }));
    standing.set(kind, made);
    return made;
  };

  return {
    judge: async ({ kind, part, body, isText }) => {
      const fields = isText === true ? String(body) : JSON.stringify(body);
      if (part === 'object') {
        const object = objectOf(kind, { name: 'tried' }, fields);
        return toVerdict(await server.send('POST', `${pathOf(kind)}?dryRun=All`, object), fields);
      }
      const metadata = await standingObject(kind);
      const path = `${pathOf(kind)}/${metadata.name}/status?dryRun=All`;
      return toVerdict(withoutSpec(await server.send('PUT', path, objectOf(kind, metadata, fields))), fields);
    },
    close: async () => {
      for (const kind of standing.keys()) await server.send('DELETE', `${pathOf(kind)}/standing`);
      await server.send('DELETE', `/api/v1/namespaces/${namespace}`);
    },
  };
}

async function create(server: ApiServer, path: string, object: string): Promise<string> {
  const { code, body } = await server.send('POST', path, object);
  if (code !== 201) throw new Error(`creating an object at ${path}: the API server answered ${JSON.stringify(body)}`);
  const { resourceVersion } = body['metadata'] as { resourceVersion: string };
  return resourceVersion;
}

/** Writing a status does not change the spec. */
function withoutSpec({ body, ...answer }: Answer): Answer {
  const { spec: _, ...rest } = body;
  return { ...answer, body: rest };
}

function toVerdict({ code, body, warnings }: Answer, sent: string): Verdict {
  if (code < 300) {
    const { apiVersion: _, kind: __, metadata: ___, ...object } = body;
    const becomes = isDeepStrictEqual(object, JSON.parse(sent)) ? 'as sent' : object;
    return { accepted: true, becomes, ...(warnings.length === 0 ? {} : { warnings }) };
  }
  // Only a refusal of the manifest's content counts as a refusal.
  if (code !== 422 && code !== 400) throw new Error(`the API server answered ${code}: ${JSON.stringify(body)}`);
  const { causes = [] } = (body['details'] ?? {}) as { causes?: readonly Cause[] };
  return { accepted: false, code, causes: causes.map(({ field, reason }) => ({ field, reason })).sort(byField) };
}

const byField = (a: Cause, b: Cause): number => {
  const [left, right] = [`${a.field} ${a.reason}`, `${b.field} ${b.reason}`];
  return left < right ? -1 : Number(left > right);
};
