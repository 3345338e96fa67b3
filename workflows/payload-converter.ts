import { DefaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common';

/** In place of what could not be read; no handler takes it. */
export interface Unreadable {
  readonly unreadable: string;
}

const standard = new DefaultPayloadConverter();

/**
 * As the SDK's own, but for bytes that can't be read: anybody may send them in a signal, and a converter that throws fails the
 * workflow task for ever.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => standard.toPayload(value),
  fromPayload<T>(payload: Payload): T {
    try {
      return standard.fromPayload<T>(payload);
    } catch (error) {
      const unreadable: Unreadable = { unreadable: error instanceof Error ? error.message : String(error) };
      return unreadable as T;
    }
  },
};
