import type { HostRef } from '../../domain/ironic/orders.ts';
import { withoutUrlSecrets } from '../../domain/urls/hidden.ts';
import type { HostData } from '../host-data.ts';
import { IronicError, type IronicErrorType } from './client/errors.ts';
import { redacted } from './client/redact.ts';

/** Types of errors without text from Ironic. */
const SILENT: readonly (string | null | undefined)[] = [
  'IronicUnreachable',
  'IronicUnusable',
  'IronicUnreadable',
] satisfies readonly IronicErrorType[];

type Clean = (text: string) => string;

/**
 * The same activities, but their answers and errors contain no credentials: Ironic quotes its inputs in the last error
 * of a node, long after the request, and its drivers quote answers of BMCs and image servers.
 */
export function cleaned<
  Activities extends Readonly<Record<keyof Activities, (order: never, asking: never) => Promise<unknown>>>,
>(activities: Activities, hostData: Pick<HostData, 'secretsOf'>): Activities {
  const cleaning = Object.entries<(order: never, asking: never) => Promise<unknown>>(activities).map(
    ([name, activity]) => [
      name,
      async (order: { readonly host?: HostRef } | undefined, asking: never): Promise<unknown> => {
        const clean = async (): Promise<Clean> => {
          const secrets = order?.host === undefined ? [] : await hostData.secretsOf(order.host);
          return (text) => withoutUrlSecrets(redacted(text, secrets));
        };
        try {
          const answer = await activity(order as never, asking);
          return hasWords(answer) ? withWords(answer, await clean()) : answer;
        } catch (error) {
          throw error instanceof IronicError && !SILENT.includes(error.type)
            ? withCleanWords(error, await clean())
            : error;
        }
      },
    ],
  );
  return Object.fromEntries(cleaning) as Activities;
}

/** Keys of answers with texts of Ironic; others have names, ids and states. */
const WORDS: readonly string[] = ['message', 'lastError'];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasWords = (answer: unknown): boolean =>
  isObject(answer) &&
  Object.entries(answer).some(([key, value]) =>
    WORDS.includes(key) ? typeof value === 'string' && value !== '' : hasWords(value),
  );

function withWords(answer: unknown, clean: Clean): unknown {
  if (!isObject(answer)) return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([key, value]) => [
      key,
      WORDS.includes(key) && typeof value === 'string' ? clean(value) : withWords(value, clean),
    ]),
  );
}

function withCleanWords({ type, status, message, said, nextRetryDelay }: IronicError, clean: Clean): IronicError {
  return new IronicError({
    type: type as IronicErrorType,
    message: clean(message),
    said: clean(said),
    ...(status !== undefined && { status }),
    ...(typeof nextRetryDelay === 'number' && { againInMs: nextRetryDelay }),
  });
}
