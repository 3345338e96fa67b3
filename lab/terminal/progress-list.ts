import { Listr, type ListrTask } from 'listr2';
import type { OnProgress, ProgressEvent, StepGroup } from '../progress.ts';

interface Drawn {
  readonly step: string;
  /** Undefined when the step was not reached. */
  readonly ended: Promise<ProgressEvent | undefined>;
  readonly end: (event: ProgressEvent | undefined) => void;
  detail: (text: string) => void;
}

/** Draws steps while the work reports them, and returns the result of the work. */
export async function withProgressList<T>(
  groups: readonly StepGroup[],
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  if (!process.stdout.isTTY) return work(plainLines((line) => process.stdout.write(`${line}\n`)));
  const drawn = new Map(groups.flatMap(({ steps }) => steps.map((step) => [step, newDrawn(step)] as const)));
  const list = new Listr(
    groups.map((group) => groupTask(group, drawn)),
    {
      concurrent: true,
      // Ctrl-C is handled by us: the lab must be stopped in order.
      registerSignalListeners: false,
      exitOnError: false,
      rendererOptions: { collapseSubtasks: false, showErrorMessage: true, formatOutput: 'truncate' },
    },
  );
  const drawing = list.run();
  try {
    return await work((event) => {
      const at = drawn.get(event.step);
      if (event.kind === 'detail') at?.detail(event.detail ?? '');
      else if (event.kind !== 'began') at?.end(event);
    });
  } finally {
    // Steps that were not reached because another one failed are not waited for.
    for (const at of drawn.values()) at.end(undefined);
    await drawing.catch(() => undefined);
  }
}

function newDrawn(step: string): Drawn {
  const { promise, resolve } = Promise.withResolvers<ProgressEvent | undefined>();
  return { step, ended: promise, end: resolve, detail: () => undefined };
}

function groupTask({ title, steps }: StepGroup, drawn: ReadonlyMap<string, Drawn>): ListrTask {
  return {
    title,
    task: (_context, task) =>
      task.newListr(
        steps.flatMap((step) => {
          const at = drawn.get(step);
          return at === undefined ? [] : [stepTask(at)];
        }),
        { exitOnError: false },
      ),
  };
}

function stepTask(at: Drawn): ListrTask {
  return {
    title: at.step,
    task: async (_context, task) => {
      at.detail = throttled(100, (text) => {
        task.output = text;
      });
      const event = await at.ended;
      if (event === undefined) return task.skip();
      const { kind, detail } = event;
      // The complete error is printed at the end; here its first line is enough.
      if (kind === 'failed') throw new Error(`${at.step}: ${detail?.split('\n')[0]}`);
      if (detail !== undefined) task.title = `${at.step}: ${detail}`;
    },
  };
}

/** Progress for logs: a line for each step that ended, and now and then a line for a long step. */
function plainLines(write: (line: string) => void): OnProgress {
  const details = new Map<string, (text: string) => void>();
  return ({ step, kind, detail }) => {
    switch (kind) {
      case 'began':
        details.set(
          step,
          throttled(10_000, (text) => write(`… ${step}: ${text}`)),
        );
        return;
      case 'detail':
        return details.get(step)?.(detail ?? '');
      case 'done':
        return write(`✔ ${step}${detail === undefined ? '' : `: ${detail}`}`);
      case 'failed':
        return write(`✖ ${step}: ${detail?.split('\n')[0] ?? ''}`);
    }
  };
}

function throttled(ms: number, show: (text: string) => void): (text: string) => void {
  let next = 0;
  return (text) => {
    if (Date.now() < next) return;
    next = Date.now() + ms;
    show(text);
  };
}
