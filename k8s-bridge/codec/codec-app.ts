import type { PayloadCodec } from '@temporalio/common';
import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import { z } from 'zod';
import { ENTITY_KINDS } from '../../api/kinds.ts';
import { BeyondBound } from '../../domain/bounds/beyond-bound.ts';
import { BOUNDS } from '../../domain/bounds/bounds.ts';
import { boundedJson } from '../../domain/bounds/json.ts';
import type { Gates, ReadableObject } from '../../kube/gate.ts';
import { KINDS } from '../../kube/kinds.ts';
import { bearerToken } from '../../platform/bearer-token.ts';
import type { Log } from '../../platform/log.ts';
import type { AccessVerdict } from '../../platform/metrics/server.ts';
import { encryptedFor } from '../../platform/temporal/encryption/codec.ts';
import { textWithin } from '../../platform/text-within.ts';

export interface CodecAppOptions {
  readonly codec: PayloadCodec;
  readonly gates: Gates;
  /** Origins of the Web UIs that browsers may send payloads from. */
  readonly origins: readonly string[];
  readonly log: Log;
}

/** More than Temporal and its clients write. */
const MOST_METADATA = 16;

/** With "pass the user access token" the Web UI sends the ID token of its login in this header. */
const ID_TOKEN_HEADER = 'authorization-extras';

const bytes = z.base64().transform((text): Uint8Array => Buffer.from(text, 'base64'));
const metadata = z
  .record(z.string(), bytes)
  .refine((entries) => Object.keys(entries).length <= MOST_METADATA, `has more than ${MOST_METADATA} keys`);
/** `temporal.api.common.v1.Payloads` in Protobuf's JSON. */
const schema = z.object({
  payloads: z.array(z.object({ metadata: metadata.default({}), data: bytes.default(new Uint8Array()) })).default([]),
});
type Payloads = z.infer<typeof schema>['payloads'];

/**
 * Decrypts payloads for the Web UI and Temporal's command line, and encrypts what these send. Clients send a bearer
 * token of Kubernetes; the API server decides what its owner may read.
 */
export function codecApp({ codec, gates, origins, log }: CodecAppOptions): Hono {
  const app = new Hono();
  app.use(
    cors({
      origin: [...origins],
      allowMethods: ['POST'],
      allowHeaders: ['authorization', ID_TOKEN_HEADER, 'content-type', 'x-namespace'],
    }),
  );
  // Browsers send a request without a preflight, too, if it looks like one of a form.
  app.use(async (context, next) => {
    const origin = context.req.header('origin');
    if (origin === undefined || origins.includes(origin)) return next();
    return context.text('Forbidden: CODEC_CORS_ORIGINS has no such origin\n', 403);
  });
  app.post('/decode', (context) =>
    answer(context, gates, async (token, payloads) => {
      const workflowIds = new Set(payloads.map(encryptedFor).filter((id) => id !== undefined));
      for (const id of workflowIds) {
        const object = objectToRead(id);
        const verdict = await gates.mayGet(token, object);
        if (verdict.kind !== 'allowed') return { verdict, wanted: inWords(object) };
      }
      return codec.decode(payloads);
    }),
  );
  app.post('/encode', (context) =>
    answer(context, gates, async (token, payloads) => {
      // Encrypting needs no right to read: it reveals nothing, and workflows accept plain text as well.
      const verdict = await gates.isKnown(token);
      return verdict.kind === 'allowed' ? codec.encode(payloads) : { verdict, wanted: 'encode' };
    }),
  );
  app.onError((error, context) => {
    log.warn({ err: error }, 'payloads could not be encoded or decoded');
    return context.text(`${error.message}\n`, 500);
  });
  return app;
}

interface Refusal {
  readonly verdict: Exclude<AccessVerdict, { readonly kind: 'allowed' }>;
  readonly wanted: string;
}

async function answer(
  context: Context,
  gates: Gates,
  convert: (token: string, payloads: Payloads) => Promise<Refusal | Awaited<ReturnType<PayloadCodec['decode']>>>,
): Promise<Response> {
  const tokens = tokensIn(context);
  if (tokens.length === 0) return context.text('Unauthorized: a bearer token of Kubernetes is needed\n', 401);
  // Nothing of the body is read for somebody whom the API server does not know.
  const token = await firstKnown(tokens, gates);
  if (token === undefined) return context.text(UNKNOWN, 401);
  const read = await bodyOf(context);
  if (read instanceof BeyondBound) return context.text(`${read.message}\n`, 413);
  if (typeof read === 'string') return context.text(`not payloads: ${read}\n`, 400);
  const converted = await convert(token, read);
  if ('verdict' in converted) {
    return converted.verdict.kind === 'unknown'
      ? context.text(UNKNOWN, 401)
      : context.text(`Forbidden: ${converted.verdict.user} may not ${converted.wanted}\n`, 403);
  }
  const payloads = converted.map(({ metadata, data }) => ({
    metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)])),
    ...(data && data.length > 0 && { data: base64(data) }),
  }));
  return context.json({ payloads });
}

/** The access token, then the ID token. */
function tokensIn({ req }: Context): readonly string[] {
  const idToken = /^\S+$/.exec(req.header(ID_TOKEN_HEADER) ?? '')?.[0];
  return [bearerToken(req.header('authorization')), idToken].filter((token) => token !== undefined);
}

const UNKNOWN = 'Unauthorized: the API server does not know this token\n';

/** The ID token if the API server knows that alone: identity providers differ. undefined: it knows neither. */
async function firstKnown(tokens: readonly string[], { isKnown }: Gates): Promise<string | undefined> {
  for (const token of tokens) if ((await isKnown(token)).kind === 'allowed') return token;
  return undefined;
}

async function bodyOf({ req }: Context): Promise<ReturnType<typeof readPayloads>> {
  try {
    return readPayloads(req.raw.body === null ? '' : await textWithin(req.raw.body, BOUNDS.payloads));
  } catch (error) {
    if (error instanceof BeyondBound) return error;
    throw error;
  }
}

/** The payloads in a body; or what is wrong with it. */
export function readPayloads(body: string): Payloads | BeyondBound | string {
  let json: unknown;
  try {
    json = boundedJson(body, BOUNDS.payloads);
  } catch (error) {
    if (error instanceof BeyondBound) return error;
  }
  const parsed = schema.safeParse(json);
  return parsed.success ? parsed.data.payloads : firstProblems(parsed.error);
}

/** A body may have as many problems as it has payloads. */
const firstProblems = (error: z.ZodError): string =>
  z.prettifyError(new z.ZodError(error.issues.slice(0, MOST_PROBLEMS)));
const MOST_PROBLEMS = 5;

const base64 = (value: Uint8Array): string => Buffer.from(value).toString('base64');

const inWords = ({ group, resource, namespace, name }: ReturnType<typeof objectToRead>): string =>
  `get ${resource}.${group}${name === undefined ? '' : ` '${name}'`} in ${namespace === undefined ? 'all namespaces' : `namespace '${namespace}'`}`;

const ALL_HOSTS = { group: 'metal3.io', resource: KINDS.host.plural };

/**
 * The object that a user must be allowed to `get` in order to read a payload of this workflow: the object of the
 * workflow. For a workflow without an object: BareMetalHosts in all namespaces.
 */
function objectToRead(workflowId: string): ReadableObject {
  const [kindInId = '', namespace = '', name = ''] = workflowId.split('/');
  const found = ENTITY_KINDS.find(({ kind }) => kind.toLowerCase() === kindInId);
  if (found === undefined || namespace === '' || name === '') return ALL_HOSTS;
  const [group = ''] = found.apiVersion.split('/');
  return { group, resource: found.plural, namespace, name };
}
