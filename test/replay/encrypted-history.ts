import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';

/** A payload in Protobuf's JSON. */
interface PayloadJson {
  readonly metadata: Readonly<Record<string, string>>;
  readonly data?: string;
}

/** A history in Protobuf's JSON, as it would be if payloads and failures had been encrypted. */
export async function encryptedHistory<History>(history: History, codec: PayloadCodec): Promise<History> {
  const encrypt = async (payload: Payload): Promise<PayloadJson> => {
    const [encrypted] = await codec.encode([payload]);
    const { metadata, data } = encrypted ?? {};
    return { metadata: toBase64(metadata ?? {}), ...(data && { data: Buffer.from(data).toString('base64') }) };
  };
  const walk = async (value: unknown): Promise<unknown> => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return Promise.all(value.map(walk));
    if (isPayload(value))
      return encrypt({ metadata: toBytes(value.metadata), data: Buffer.from(value.data ?? '', 'base64') });
    const isOpen = (key: string): boolean => OPEN.includes(key) || (isLocalActivity(value) && key === 'data');
    const entries = await Promise.all(
      Object.entries(value).map(async ([key, inner]) => [key, isOpen(key) ? inner : await walk(inner)] as const),
    );
    const walked: Record<string, unknown> = Object.fromEntries(entries);
    if (!Object.keys(walked).some((key) => key.endsWith('FailureInfo'))) return walked;
    const { message = '', stackTrace = '' } = walked;
    const encodedAttributes = await encrypt(defaultPayloadConverter.toPayload({ message, stack_trace: stackTrace }));
    return { ...walked, message: 'Encoded failure', stackTrace: '', encodedAttributes };
  };
  return (await walk(history)) as History;
}

/**
 * Search attributes are never encrypted, and neither is what the SDK's core writes into its own markers: the name of a
 * patch, and of a local activity everything but its result.
 */
const OPEN = ['searchAttributes', 'patch-data'];
const isLocalActivity = (details: object): boolean => 'data' in details && 'result' in details;

const isPayload = (value: object): value is PayloadJson =>
  'metadata' in value && typeof value.metadata === 'object' && value.metadata !== null && 'encoding' in value.metadata;

const toBytes = (metadata: PayloadJson['metadata']): Record<string, Uint8Array> =>
  Object.fromEntries(Object.entries(metadata).map(([name, text]) => [name, Buffer.from(text, 'base64')]));

const toBase64 = (metadata: Readonly<Record<string, Uint8Array>>): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]));
