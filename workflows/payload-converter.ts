import { DefaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common';
import { messageOf } from '../domain/message-of.ts';

/** Takes the place of a payload that can't be read; every handler refuses it. */
export interface UnreadablePayload {
  readonly unreadable: string;
}

const standard = new DefaultPayloadConverter();

/**
 * The SDK's converter, but bytes that can't be read are no error: anybody may send them in a signal, and a converter
 * that throws fails the workflow task for ever.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => standard.toPayload(value),
  fromPayload<T>(payload: Payload): T {
    try {
      return standard.fromPayload<T>(payload);
    } catch (error) {
      const unreadable: UnreadablePayload = { unreadable: messageOf(error) };
      return unreadable as T;
    }
  },
};
