import { readFile } from 'node:fs/promises';
import { Agent, request as send } from 'undici';
import { z } from 'zod';
import type { LeaderAddress } from '../../kube/leader.ts';
import type { Log } from '../../platform/log.ts';
import type { HandedOver, PublishAnswer, ViewActivities } from '../../workflows/messages.ts';
import type { ActivityCall } from '../ironic/context.ts';

export interface ViewHandoverDeps {
  /** Where the active bridge takes views; undefined: it takes none. */
  readonly readLeader: () => Promise<LeaderAddress | undefined>;
  /** With a token for the bridge, which is renewed by whoever writes the file. */
  readonly tokenFile: string;
  readonly temporalNamespace: string;
  readonly currentCall: () => Pick<ActivityCall, 'signal'>;
  readonly log: Log;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** After a failure, views go by Temporal for this time; then the Lease is read again. */
const PAUSE_MS = 2_000;
/** How long a token that was read is used: a mounted one is renewed long before it expires. */
const TOKEN_MS = 60_000;

const answers = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('published'), at: z.number() }),
  z.object({ kind: z.enum(['superseded', 'gone', 'behind']) }),
]);

/** Refusals that concern every view: the token, or the Temporal namespace. */
const OF_ALL_VIEWS: readonly number[] = [401, 403, 404, 409];
const LONGEST = 200;
const NOT_TAKEN = { kind: 'not taken' } as const;

interface Leader {
  readonly url: string;
  readonly agent: Agent;
  readonly token: { readonly text: string; readonly readAt: number };
}

export interface ViewHandover {
  readonly activities: ViewActivities;
  close(): Promise<void>;
}

/**
 * Hands views to the active bridge over HTTPS. It never throws: the workflow hands over by Temporal what was not taken,
 * and a failed local activity would be a line in the log each time.
 */
export function createViewHandover(deps: ViewHandoverDeps): ViewHandover {
  const { readLeader, tokenFile, temporalNamespace, currentCall, log, now } = deps;
  let leader: Promise<Leader> | undefined;
  /** The last line of the log: why views go by Temporal; '': they do not. */
  let told: string | undefined;
  let pausedUntil = 0;

  const find = async (): Promise<Leader> => {
    const token = { text: (await readFile(tokenFile, 'utf8')).trim(), readAt: now() };
    const address = await readLeader();
    if (address === undefined) throw new Error('no Lease names a bridge that takes views');
    return { url: address.url, agent: new Agent({ connect: { ca: address.certificate } }), token };
  };
  const forget = (): void => {
    leader?.then(({ agent }) => agent.close()).catch(() => undefined);
    leader = undefined;
  };
  const tell = (why: string): void => {
    if (why === told) return;
    if (why === '') log.info('views are handed to the bridge directly');
    else log.info({ why }, 'views are handed to the bridge by Temporal');
    told = why;
  };

  /** undefined: this view is not taken, others may be. Throws when the bridge can't be reached, or does not know us. */
  const handOver = async (input: HandedOver, signal: AbortSignal): Promise<PublishAnswer | undefined> => {
    if (leader !== undefined && now() - (await leader).token.readAt > TOKEN_MS) forget();
    leader ??= find();
    const { url, agent, token } = await leader;
    const { statusCode, body } = await send(url, {
      method: 'POST',
      dispatcher: agent,
      signal,
      headers: { authorization: `Bearer ${token.text}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...input, temporalNamespace }),
    });
    if (statusCode === 200) return answers.parse(await body.json());
    const why = `${statusCode} ${(await body.text()).trim().slice(0, LONGEST)}`;
    if (OF_ALL_VIEWS.includes(statusCode)) throw new Error(`the bridge at ${url} answered ${why}`);
    return undefined;
  };

  return {
    activities: {
      async handOverView(input) {
        if (now() < pausedUntil) return NOT_TAKEN;
        try {
          const answer = await handOver(input, currentCall().signal);
          tell('');
          return answer ?? NOT_TAKEN;
        } catch (error) {
          forget();
          pausedUntil = now() + PAUSE_MS;
          tell(error instanceof Error ? error.message : String(error));
          return NOT_TAKEN;
        }
      },
    },
    async close() {
      forget();
    },
  };
}
