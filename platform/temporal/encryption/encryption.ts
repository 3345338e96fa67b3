import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import { messageOf } from '../../../domain/message-of.ts';
import type { TemporalConfig } from '../../config/temporal-settings.ts';
import { followFiles } from '../../follow-files.ts';
import type { Log } from '../../log.ts';
import { createCodec } from './codec.ts';
import { CURRENT, type EncryptionKeys, readKeyFolder, readKeyText } from './keys.ts';

/** Encryption of what bridge and workers send to Temporal. */
export interface Encryption {
  readonly dataConverter: DataConverter;
  close(): void;
}

const FAILURE_CONVERTER = fileURLToPath(new URL('failure-converter.ts', import.meta.url));

/**
 * undefined: encryption is not configured. A folder of keys is read again when it changes. Throws when the keys can't
 * be used. Later keys that can't be used are logged, and the current keys stay in use.
 */
export async function openEncryption(config: TemporalConfig, log: Log): Promise<Encryption | undefined> {
  const { TEMPORAL_ENCRYPTION_KEYS: text, TEMPORAL_ENCRYPTION_KEYS_DIR: folder } = config;
  if (text === undefined && folder === undefined) return undefined;
  const read = async (): Promise<EncryptionKeys> =>
    folder === undefined ? readKeyText(text ?? '') : readKeyFolder(folder);
  let keys = await read().catch((error: unknown) => {
    const name = folder === undefined ? 'TEMPORAL_ENCRYPTION_KEYS' : 'TEMPORAL_ENCRYPTION_KEYS_DIR';
    throw new Error(`configuration:\n  ${name}: ${messageOf(error)}`, { cause: error });
  });
  const tell = (): void =>
    log.info(
      { encryptingWith: keys.current?.id ?? null, keyIds: [...keys.byId.keys()] },
      'payloads for Temporal are encrypted',
    );
  tell();

  const look = async (): Promise<void> => {
    try {
      const before = JSON.stringify(idsOf(keys));
      keys = await read();
      if (JSON.stringify(idsOf(keys)) !== before) tell();
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'the new encryption keys cannot be used; the old ones stay in use');
    }
  };
  return {
    dataConverter: { payloadCodecs: [createCodec(() => keys)], failureConverterPath: FAILURE_CONVERTER },
    close: folder === undefined ? () => undefined : followFiles([join(folder, CURRENT)], look),
  };
}

const idsOf = ({ current, byId }: EncryptionKeys): readonly unknown[] => [current?.id, [...byId.keys()].toSorted()];
