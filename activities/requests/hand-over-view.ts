import { readFile } from 'node:fs/promises';
import { Agent, request as send } from 'undici';
import { z } from 'zod';
import { messageOf } from '../../domain/message-of.ts';
import type { LeaderAddress } from '../../kube/leader.ts';
import type { Log } from '../../platform/log.ts';
import type { HandedOver, PublishAnswer, ViewActivities } from '../../workflows/messages.ts';
import type { ActivityCall } from '../ironic/context.ts';

export interface ViewHandoverDeps {
  /** Where the active bridge takes views; undefined: it takes none. */
  readonly readLeader: () => Promise<LeaderAddress | undefined>;
  /** File with a token for the bridge, which the kubelet renews. */
  readonly tokenFile: string;
  readonly temporalNamespace: string;
  readonly currentCall: () => Pick<ActivityCall, 'signal'>;
  readonly log: Log;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** After a failure, views go by Temporal for the first of these times, and longer after each further failure. */
const PAUSE_MS = { first: 1_000, longest: 60_000 } as const;
/** A mounted token is renewed long before it expires. */
const TOKEN_MS = 60_000;
const CONNECT_MS = 1_000;
/** Views in a row that the bridge did not answer in time before none is handed over for a while. */
const UNANSWERED = 3;
/** Longest part of an answer that is logged. */
const LONGEST = 200;

/** The bridge would refuse every view: token, right, another bridge at this address, a bridge that is not active. */
const REFUSES_ALL: readonly number[] = [401, 403, 404, 421];
const NOT_TAKEN = { kind: 'not taken' } as const;

const answers = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('published'), at: z.number() }),
  z.object({ kind: z.enum(['superseded', 'gone', 'behind']) }),
]);

interface Leader {
  readonly url: string;
  readonly agent: Agent;
}

export interface ViewHandover {
  readonly activities: ViewActivities;
  close(): Promise<void>;
}

/**
 * Hands views to the active bridge over HTTPS. It never throws: the workflow hands over by Temporal what was not taken,
 * and each failed local activity would be a warning in the log.
 */
export function createViewHandover(deps: ViewHandoverDeps): ViewHandover {
  const { readLeader, tokenFile, temporalNamespace, currentCall, log, now } = deps;
  let leader: Promise<Leader> | undefined;
  let token: { readonly text: Promise<string>; readonly readAt: number } | undefined;
  let failures = 0;
  let unanswered = 0;
  let pausedUntil = 0;
  let isClosed = false;
  /** Reason that was logged last; '' while views go to the bridge directly. */
  let logged: string | undefined;

  const logChange = (why: string): void => {
    if (why === logged) return;
    logged = why;
    if (why === '') log.info('views are handed to the bridge directly');
    else log.info({ why }, 'views are handed to the bridge by Temporal');
  };

  const find = async (): Promise<Leader> => {
    const address = await readLeader();
    if (address === undefined) throw new Error('no Lease names a bridge that takes views');
    const connect = { ca: address.certificate, timeout: CONNECT_MS };
    return { url: address.url, agent: new Agent({ connect }) };
  };

  const currentToken = (): Promise<string> => {
    if (token === undefined || now() - token.readAt > TOKEN_MS) {
      token = { text: readFile(tokenFile, 'utf8').then((text) => text.trim()), readAt: now() };
    }
    return token.text;
  };

  /** Nothing of this bridge is used again; requests on their way end by themselves. */
  const forget = (failed: Promise<Leader>): void => {
    if (leader !== failed) return;
    leader = undefined;
    token = undefined;
    unanswered = 0;
    failures += 1;
    pausedUntil = now() + Math.min(PAUSE_MS.first * 2 ** (failures - 1), PAUSE_MS.longest);
    failed.then(({ agent }) => agent.close()).catch(() => undefined);
  };

  /** undefined: this view is not taken, others may be. Throws when the bridge can't be reached or refuses all views. */
  const request = async (
    { url, agent }: Leader,
    input: HandedOver,
    signal: AbortSignal,
  ): Promise<PublishAnswer | undefined> => {
    const { statusCode, body } = await send(url, {
      method: 'POST',
      dispatcher: agent,
      signal,
      headers: { authorization: `Bearer ${await currentToken()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...input, temporalNamespace }),
    });
    if (statusCode === 200) return answers.parse(await body.json());
    const why = (await body.text()).trim().slice(0, LONGEST);
    if (REFUSES_ALL.includes(statusCode)) throw new Error(`the bridge at ${url} answered ${statusCode} ${why}`);
    return undefined;
  };

  const handOver = async (input: HandedOver, signal: AbortSignal): Promise<PublishAnswer | undefined> => {
    leader ??= find();
    const used = leader;
    try {
      const answer = await request(await used, input, signal);
      unanswered = 0;
      if (answer === undefined) return undefined;
      failures = 0;
      logChange('');
      return answer;
    } catch (error) {
      // The write of one object may take long, which says nothing about others.
      if (signal.aborted && ++unanswered < UNANSWERED) return undefined;
      forget(used);
      logChange(signal.aborted ? 'the bridge does not answer in time' : messageOf(error));
      return undefined;
    }
  };

  return {
    activities: {
      async handOverView(input) {
        if (isClosed || now() < pausedUntil) return NOT_TAKEN;
        const { signal } = currentCall();
        const timedOut = new Promise<undefined>((resolve) =>
          signal.addEventListener('abort', () => resolve(undefined), { once: true }),
        );
        return (await Promise.race([handOver(input, signal), timedOut])) ?? NOT_TAKEN;
      },
    },
    async close() {
      isClosed = true;
      await leader?.then(
        ({ agent }) => agent.destroy(),
        () => undefined,
      );
    },
  };
}
