import { request } from 'undici';
import { z } from 'zod';
import { BOUNDS } from '../../domain/bounds/bounds.ts';
import { messageOf } from '../../domain/message-of.ts';
import { textWithin } from '../../platform/text-within.ts';

const PATIENCE_MS = 5_000;
const entry = z.object({ version: z.string() });
/** Ironic shows it without a login. `GET /v1` has `version`, `GET /` has `default_version`. */
const versionDocument = z.union([z.object({ version: entry }), z.object({ default_version: entry })]);

/** The version of a server, or why it is unknown. */
export interface AskedVersion {
  /** Absent: unknown. */
  readonly version?: string;
  /** Where it runs, or why its version is unknown. */
  readonly details: string;
}

/** The newest version of its API that the Ironic at this address speaks: Ironic tells no other. */
export async function ironicVersion(endpoint: string | undefined): Promise<AskedVersion> {
  if (endpoint === undefined) return { details: 'IRONIC_ENDPOINT is not set' };
  try {
    const { statusCode, body } = await request(endpoint, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const text = await textWithin(body, BOUNDS.ironicError);
    if (statusCode !== 200) return { details: `${endpoint} answers with status ${statusCode}` };
    const document = versionDocument.parse(JSON.parse(text));
    const { version } = 'version' in document ? document.version : document.default_version;
    return { version: `API ${version}`, details: endpoint };
  } catch (error) {
    return { details: `${endpoint} can't be asked from here: ${messageOf(error)}` };
  }
}
