import type { Logger } from 'pino';
import { Agent, fetch } from 'undici';
import { z } from 'zod';

const MICROVERSION = { 'X-OpenStack-Ironic-API-Version': '1.68' } as const;

/** Real agents send it without a version; Ironic refuses it with an old version. */
const INSPECTION = 'continue_inspection';

/** Ironic's listen queue is short: a few persistent connections work better than many new ones. */
const connections = new Agent({ connections: 8, keepAliveTimeout: 60_000, pipelining: 1 });

const lookupAnswer = z.object({
  node: z.object({ uuid: z.string() }),
  config: z.object({ agent_token: z.string().nullish() }),
});

export interface LookupAnswer {
  readonly node: string;
  /** The token is only in the answer to the first lookup after a boot. */
  readonly token?: string;
}

/** The agent's three calls to Ironic. None needs credentials, and each can be too early; then it is repeated. */
export interface AgentApi {
  /** `unwanted` when the node is not being inspected, `later` when Ironic does not know yet. */
  continueInspection(report: unknown, signal: AbortSignal): Promise<'accepted' | 'unwanted' | 'later'>;
  lookup(macs: readonly string[], signal: AbortSignal): Promise<LookupAnswer | undefined>;
  heartbeat(node: string, token: string, callbackUrl: string, signal: AbortSignal): Promise<boolean>;
}

const isMasked = (token: string): boolean => /^\*+$/.test(token);

export const createAgentApi = (ironicUrl: string, log: Logger): AgentApi => {
  const call = async (
    method: string,
    path: string,
    signal: AbortSignal,
    body?: unknown,
  ): Promise<{ status: number; text: string }> => {
    try {
      const response = await fetch(new URL(path, ironicUrl), {
        method,
        headers: { 'content-type': 'application/json', ...(path === INSPECTION ? {} : MICROVERSION) },
        signal,
        dispatcher: connections,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const refusal = response.ok ? {} : { answer: text.slice(0, 500) };
      log.debug({ method, path, status: response.status, ...refusal }, 'asked Ironic');
      return { status: response.status, text };
    } catch (error) {
      // Ironic is starting or stopping: handled like the answer "too early".
      signal.throwIfAborted();
      return { status: 0, text: String(error) };
    }
  };
  return {
    continueInspection: async (report, signal) => {
      const { status } = await call('POST', INSPECTION, signal, report);
      if (status === 202) return 'accepted';
      return status === 404 ? 'unwanted' : 'later';
    },
    lookup: async (macs, signal) => {
      const { status, text } = await call('GET', `lookup?addresses=${macs.join(',')}`, signal);
      if (status !== 200) return undefined;
      const { node, config } = lookupAnswer.parse(JSON.parse(text));
      const token = config.agent_token;
      return { node: node.uuid, ...(token && !isMasked(token) ? { token } : {}) };
    },
    heartbeat: async (node, token, callbackUrl, signal) => {
      const beat = { callback_url: callbackUrl, agent_token: token, agent_version: '13.0.0' };
      return (await call('POST', `heartbeat/${node}`, signal, beat)).status === 202;
    },
  };
};
