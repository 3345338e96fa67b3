import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { EncryptionKey, EncryptionKeys } from './keys.ts';

/**
 * Metadata of an encrypted payload. All of it can be read without the key, and none of it can be changed without the
 * key.
 */
const ENCODING = 'encoding';
const CIPHER = 'encryption-cipher';
const KEY_ID = 'encryption-key-id';
const WORKFLOW_ID = 'workflow-id';

const ENCRYPTED = 'binary/encrypted';
const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

const { Payload: message } = proto.temporal.api.common.v1;

/**
 * Encrypts each payload with the current key; decrypts what any of the keys encrypted, and passes on everything else.
 */
export const createCodec = (keys: () => EncryptionKeys): PayloadCodec => ({
  encode: async (payloads, context) => {
    const { current } = keys();
    return current === undefined
      ? payloads
      : payloads.map((payload) => encrypt(payload, current, context?.workflowId ?? ''));
  },
  decode: async (payloads) => payloads.map((payload) => decrypt(payload, keys())),
});

/**
 * The workflow for which a payload was encrypted; '' when it is not known; undefined: the payload is not encrypted.
 * Anybody can write the name: it is true only if the payload can be decrypted.
 */
export const encryptedFor = (payload: Payload): string | undefined =>
  isEncrypted(payload) ? textOf(payload, WORKFLOW_ID) : undefined;

function encrypt(payload: Payload, { id, key }: EncryptionKey, workflowId: string): Payload {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(labelOf(id, workflowId));
  const data = [iv, cipher.update(message.encode(payload).finish()), cipher.final(), cipher.getAuthTag()];
  const metadata = { [ENCODING]: ENCRYPTED, [CIPHER]: ALGORITHM, [KEY_ID]: id, [WORKFLOW_ID]: workflowId };
  return {
    metadata: Object.fromEntries(Object.entries(metadata).map(([name, text]) => [name, Buffer.from(text)])),
    data: Buffer.concat(data),
  };
}

/**
 * Garbage is passed on as it came, because anybody may send it in a signal: the workflow refuses it. A missing key is
 * an error, because it may be given back; until then the workflow must not go on.
 */
function decrypt(payload: Payload, keys: EncryptionKeys): Payload {
  if (!isEncrypted(payload)) return payload;
  const id = textOf(payload, KEY_ID);
  const found = keys.byId.get(id);
  if (found === undefined)
    throw new Error(`a payload was encrypted with the key ${JSON.stringify(id)}, which is not among the keys`);
  const data = Buffer.from(payload.data ?? []);
  if (data.length < IV_BYTES + TAG_BYTES) return payload;
  const decipher = createDecipheriv(ALGORITHM, found.key, data.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(labelOf(id, textOf(payload, WORKFLOW_ID)))
    .setAuthTag(data.subarray(-TAG_BYTES));
  try {
    const encrypted = data.subarray(IV_BYTES, -TAG_BYTES);
    return message.decode(Buffer.concat([decipher.update(encrypted), decipher.final()]));
  } catch {
    return payload;
  }
}

const isEncrypted = (payload: Payload): boolean =>
  textOf(payload, ENCODING) === ENCRYPTED && textOf(payload, CIPHER) === ALGORITHM;

const textOf = ({ metadata }: Payload, name: string): string => Buffer.from(metadata?.[name] ?? []).toString();

/** The text that is authenticated together with the content. */
const labelOf = (keyId: string, workflowId: string): Buffer => Buffer.from(JSON.stringify([keyId, workflowId]));
