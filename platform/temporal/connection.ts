import {
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

/** gRPC's CANCELLED, which is never retried. */
const CANCELLED = 1;
/** The message of the SDK's gRPC for a closed connection. */
const CLOSED = 'Channel has been shut down';

/**
 * A connection to Temporal that can be closed at any time: a call that waits for its retry is then cancelled. With the
 * SDK's own connection it would throw an error that nobody can catch, which ends the process.
 */
export async function connectTemporal({
  apiKey,
  channelArgs,
  ...options
}: TemporalConnectionOptions): Promise<Connection> {
  const connection = Connection.lazy({
    ...options,
    // Temporal has no service configuration in DNS. A question for it would keep the process for as long as no server answers.
    channelArgs: { 'grpc.service_config_disable_resolution': 1, ...channelArgs },
    interceptors: [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), endingWhenClosed],
  });
  if (apiKey !== undefined) connection.setApiKey(apiKey);
  try {
    await connection.ensureConnected();
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

type TemporalConnectionOptions = Omit<ConnectionOptions, 'interceptors' | 'apiKey'> & {
  /** Asked before each call; without a key it returns ''. */
  readonly apiKey?: () => string;
};

type Call = ReturnType<Parameters<Interceptor>[1]>;

const endingWhenClosed: Interceptor = (options, nextCall) => {
  const begin = (): Call => {
    try {
      return nextCall(options);
    } catch (error) {
      if (!(error instanceof Error && error.message === CLOSED)) throw error;
      return endedCall;
    }
  };
  // Only the interface is ever used.
  return begin() as ReturnType<Interceptor>;
};

const endedCall: Call = {
  start(asked, listener) {
    const metadata = asked.clone();
    for (const key of Object.keys(metadata.getMap())) metadata.remove(key);
    listener?.onReceiveMessage?.(null);
    listener?.onReceiveStatus?.({ code: CANCELLED, details: CLOSED, metadata });
  },
  sendMessage: () => undefined,
  sendMessageWithContext: () => undefined,
  startRead: () => undefined,
  halfClose: () => undefined,
  cancelWithStatus: () => undefined,
  getPeer: () => '',
  getAuthContext: () => null,
};
