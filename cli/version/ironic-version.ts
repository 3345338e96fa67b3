import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Dispatcher, request } from 'undici';
import { z } from 'zod';
import { BOUNDS } from '../../domain/bounds/bounds.ts';
import { messageOf } from '../../domain/message-of.ts';
import { publicPart, withoutUrlSecrets } from '../../domain/urls/hidden.ts';
import { ironicSettings } from '../../platform/config/ironic-settings.ts';
import { proxiesOf } from '../../platform/config/proxy-settings.ts';
import { setVariables } from '../../platform/config/set-variables.ts';
import { connectionsVia, proxyFor } from '../../platform/proxies.ts';
import { textWithin } from '../../platform/text-within.ts';

const PATIENCE_MS = 5_000;
const entry = z.object({ version: z.string() });
/** Ironic shows it without a login. `GET /v1` has `version`, `GET /` has `default_version`. */
const versionDocument = z.union([z.object({ version: entry }), z.object({ default_version: entry })]);

/** The version of a server, or why it is unknown. */
export interface ServerVersion {
  /** Absent: unknown. */
  readonly version?: string;
  /** Where it runs, or why its version is unknown. */
  readonly details: string;
}

const settings = z.object(ironicSettings).pick({
  IRONIC_CACERT_FILE: true,
  IRONIC_CLIENT_CERT_FILE: true,
  IRONIC_CLIENT_PRIVATE_KEY_FILE: true,
  IRONIC_INSECURE: true,
});

/** Settings of bridge and workers for the same address. Their files are in their Pods, so they are not read here. */
interface Installed {
  readonly IRONIC_INSECURE?: string;
}

/** The newest version of its API that the Ironic at this address speaks: Ironic tells no other. */
export async function ironicVersion(endpoint: string | undefined, installed: Installed = {}): Promise<ServerVersion> {
  if (endpoint === undefined) return { details: 'IRONIC_ENDPOINT is not set' };
  const where = publicPart(endpoint);
  try {
    const { statusCode, text } = await answerOf(endpoint, installed);
    if (statusCode !== 200) return { details: `${where} answers with status ${statusCode}` };
    const document = versionDocument.parse(JSON.parse(text));
    const { version } = 'version' in document ? document.version : document.default_version;
    return { version: `API ${version}`, details: where };
  } catch (error) {
    return { details: `${where} can't be asked from here: ${withoutUrlSecrets(messageOf(error))}` };
  }
}

async function answerOf(
  endpoint: string,
  installed: Installed,
): Promise<{ readonly statusCode: number; readonly text: string }> {
  const dispatcher = await connections(endpoint, installed);
  try {
    const { statusCode, body } = await request(endpoint, { dispatcher, signal: AbortSignal.timeout(PATIENCE_MS) });
    return { statusCode, text: await textWithin(body, BOUNDS.ironicError) };
  } finally {
    await dispatcher.destroy();
  }
}

/** With the CA, the client certificate and the proxy of the environment, as bridge and workers connect. */
async function connections(endpoint: string, { IRONIC_INSECURE = '' }: Installed): Promise<Dispatcher> {
  const given = settings.parse(setVariables({ IRONIC_INSECURE, ...setVariables(process.env) }));
  const [ca, cert, key] = await Promise.all(
    [given.IRONIC_CACERT_FILE, given.IRONIC_CLIENT_CERT_FILE, given.IRONIC_CLIENT_PRIVATE_KEY_FILE].map(contentOf),
  );
  return connectionsVia(proxyFor(endpoint, proxiesOf(process.env)), {
    connect: {
      timeout: PATIENCE_MS,
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && key !== undefined && { cert, key }),
      rejectUnauthorized: !given.IRONIC_INSECURE,
    },
  });
}

/** undefined: there is no such file. */
const contentOf = async (path: string): Promise<string | undefined> =>
  existsSync(path) ? readFile(path, 'utf8') : undefined;
