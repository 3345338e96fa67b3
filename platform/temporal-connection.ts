import {
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

/** gRPC's CANCELLED, which is never tried again. */
const CANCELLED = 1;

/**
 * A connection to Temporal that may be closed at any time: a call that waits for its next try then ends as cancelled. The
 * SDK's own would throw where nobody can catch it, and end the process.
 */
export const connectTemporal = (options: Omit<ConnectionOptions, 'interceptors'>): Promise<Connection> =>
  Connection.connect({
    ...options,
    interceptors: [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), endingWhenClosed],
  });

type Call = ReturnType<Parameters<Interceptor>[1]>;

const endingWhenClosed: Interceptor = (options, nextCall) => {
  const begin = (): Call => {
    try {
      return nextCall(options);
    } catch (error) {
      return endedCall(error instanceof Error ? error.message : String(error));
    }
  };
  // The interface is all that is ever asked of it.
  return begin() as ReturnType<Interceptor>;
};

const endedCall = (details: string): Call => ({
  start(metadata, listener) {
    listener?.onReceiveMessage?.(null);
    listener?.onReceiveStatus?.({ code: CANCELLED, details, metadata });
  },
  sendMessage: () => undefined,
  sendMessageWithContext: () => undefined,
  startRead: () => undefined,
  halfClose: () => undefined,
  cancelWithStatus: () => undefined,
  getPeer: () => '',
  getAuthContext: () => null,
});
