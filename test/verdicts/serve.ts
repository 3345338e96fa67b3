import { isDeepStrictEqual } from 'node:util';
import pRetry from 'p-retry';
import type { StructuralSchema } from '../../api/structural.ts';
import { type CustomResourceDefinition, storedVersion } from '../../deploy/crds/definition.ts';
import type { ApiServer } from './api-server.ts';

interface StoredDefinition extends CustomResourceDefinition {
  readonly status?: { readonly conditions: readonly { readonly type: string; readonly status: string }[] | null };
}

const pathOf = ({ metadata }: CustomResourceDefinition): string =>
  `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${metadata.name}`;

/** Creates a CRD and returns when the API server serves it unchanged. */
export async function serveDefinition(server: ApiServer, definition: CustomResourceDefinition): Promise<void> {
  const { name } = definition.metadata;
  const path = `${pathOf(definition)}?fieldManager=verdicts&force=true`;
  const { code, body } = await server.send('PATCH', path, JSON.stringify(definition));
  if (code !== 201) throw new Error(`creating the CRD ${name}, which must not be there yet: ${JSON.stringify(body)}`);
  await pRetry(() => requireEstablished(server, definition), { retries: 60, minTimeout: 200, factor: 1 });
  if (!isDeepStrictEqual(await servedSchemas(server, definition), schemasOf(definition)))
    throw new Error(`the API server has another schema for the CRD ${name} than it was given`);
}

export type Schemas = Readonly<Record<string, StructuralSchema>>;

/** The schema of each version of a kind. */
export const schemasOf = ({ spec }: CustomResourceDefinition): Schemas =>
  Object.fromEntries(spec.versions.map(({ name, schema }) => [name, schema.openAPIV3Schema]));

/** The API server's schemas of a kind; typed clients are known to drop parts of them. */
export const servedSchemas = async (server: ApiServer, definition: CustomResourceDefinition): Promise<Schemas> =>
  schemasOf(await read(server, definition));

async function requireEstablished(server: ApiServer, definition: CustomResourceDefinition): Promise<void> {
  const conditions = (await read(server, definition)).status?.conditions ?? [];
  if (!conditions.some(({ type, status }) => type === 'Established' && status === 'True'))
    throw new Error(`the CRD ${definition.metadata.name} is not established: ${JSON.stringify(conditions)}`);
  const { group, names } = definition.spec;
  const { name } = storedVersion(definition);
  const list = await server.send('GET', `/apis/${group}/${name}/${String(names['plural'])}?limit=1`);
  if (list.code !== 200) throw new Error(`listing ${String(names['plural'])}: ${JSON.stringify(list.body)}`);
}

async function read(server: ApiServer, definition: CustomResourceDefinition): Promise<StoredDefinition> {
  const { code, body } = await server.send('GET', pathOf(definition));
  if (code !== 200) throw new Error(`reading the CRD ${definition.metadata.name}: ${JSON.stringify(body)}`);
  return body as unknown as StoredDefinition;
}
