import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import PQueue from 'p-queue';
import { z } from 'zod';
import type { EntityView } from '../../domain/entity/view.ts';
import { VIEWS_PATH } from '../../kube/leader.ts';
import { bearerToken } from '../../platform/bearer-token.ts';
import type { Log } from '../../platform/log.ts';
import type { AccessVerdict } from '../../platform/metrics/server.ts';
import type { TakeView } from './take-view.ts';

export interface ViewAppDeps {
  /** Whether the owner of a token may hand over views. */
  readonly mayHandOver: (token: string) => Promise<AccessVerdict>;
  readonly temporalNamespace: string;
  /** undefined: this bridge is not active. */
  readonly taker: () => TakeView | undefined;
  readonly log: Log;
}

/** Far more than a view has, and less than an object of the API server may have. */
const MAX_BYTES = 1024 * 1024;
/** Views that are written at the same time, and that wait for it. */
const AT_ONCE = 50;
const WAITING = 500;

const handedOver = z.object({
  temporalNamespace: z.string(),
  view: z.looseObject({
    kind: z.string(),
    namespace: z.string(),
    name: z.string(),
    uid: z.string(),
    run: z.string(),
    generation: z.int(),
    revision: z.int(),
    at: z.number(),
    order: z.object({ epoch: z.number(), number: z.number() }),
  }),
});

/**
 * Takes views from workers, which hand them over within a workflow task. After any answer but 200 the worker publishes
 * the view by Temporal, so a refusal loses nothing.
 */
export function viewApp({ mayHandOver, temporalNamespace, taker, log }: ViewAppDeps): Hono {
  const queue = new PQueue({ concurrency: AT_ONCE });
  const app = new Hono();
  app.use(bodyLimit({ maxSize: MAX_BYTES, onError: (context) => context.text('the view is too large\n', 413) }));
  app.post(VIEWS_PATH, async (context) => {
    const token = bearerToken(context.req.header('authorization'));
    if (token === undefined) return context.text('Unauthorized: a bearer token is needed\n', 401);
    const verdict = await mayHandOver(token);
    if (verdict.kind === 'unknown') return context.text('Unauthorized: this token is not known here\n', 401);
    if (verdict.kind === 'forbidden') return context.text(`Forbidden: ${verdict.user} may not hand over views\n`, 403);
    const parsed = handedOver.safeParse(await context.req.json().catch(() => undefined));
    if (!parsed.success) return context.text(`not a view: ${z.prettifyError(parsed.error)}\n`, 400);
    const { view, temporalNamespace: theirs } = parsed.data;
    if (theirs !== temporalNamespace)
      return context.text(`this bridge writes views of the Temporal namespace '${temporalNamespace}'\n`, 409);
    if (taker() === undefined) return context.text('this bridge is not active\n', 421);
    if (queue.size >= WAITING) return context.text('too many views wait to be written\n', 503);
    // A worker that has given up hands the view over by Temporal.
    const { signal } = context.req.raw;
    const answer = await queue.add(async () => (signal.aborted ? undefined : taker()?.(view as unknown as EntityView)));
    return answer === undefined ? context.text('the view is not taken at present\n', 503) : context.json(answer);
  });
  app.onError((error, context) => {
    log.info({ err: error }, 'a view that a worker handed over was not written');
    return context.text('the view was not written\n', 500);
  });
  return app;
}
