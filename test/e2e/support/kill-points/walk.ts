import { vi } from 'vitest';
import { messageOf } from '../../../../domain/message-of.ts';
import type { Passage, Sender, Write } from './gate.ts';
import { countOf, type Point, type Sent } from './points.ts';
import { labelOf, namesIn } from './words.ts';

/** A write that a server answered. */
export interface Written extends Write {
  readonly status: number;
}

/** An object, and what was written about it since it was begun. */
export interface Subject {
  readonly written: readonly Written[];
  /** All writes, also those that were stopped. */
  readonly sent: Sent;
  /** The write at which its process was killed. */
  killedAt(): string | undefined;
}

/** Kills processes at points, and starts them again. */
export interface Walk {
  readonly passage: Passage;
  /** Notes from now on what is written about the object with these names, and kills at the point. */
  begin(names: readonly string[], point?: Point): Subject;
  /** How often each process was killed. */
  readonly kills: Readonly<Record<Sender, number>>;
  /** Waits for kills that have begun; throws when a process did not start again. */
  settled(): Promise<void>;
}

export interface Processes {
  kill(name: Sender, signal: NodeJS.Signals): Promise<void>;
  start(name: Sender): Promise<void>;
}

interface Tracked {
  readonly point: Point | undefined;
  readonly sent: Record<Sender, string[]>;
  readonly written: Written[];
  killedAt: string | undefined;
}

/** A write among those of its kind. */
type Turn = Pick<Point, 'kind' | 'nth'>;

interface Held {
  readonly lose: () => void;
}

/** One kill is for all objects: a write waits until those of all others are held, or this long. */
const TOGETHER_MS = 20_000;

export function createWalk(processes: Processes): Walk {
  const tracked = new Map<string, Tracked>();
  const held: Record<Sender, Held[]> = { bridge: [], workers: [] };
  const kills: Record<Sender, number> = { bridge: 0, workers: 0 };
  /** The last kill of each process: the next one waits until the process runs again. */
  const killing: Record<Sender, Promise<void>> = { bridge: Promise.resolve(), workers: Promise.resolve() };
  let failure: unknown;

  const killNow = async (sender: Sender): Promise<void> => {
    await processes.kill(sender, 'SIGKILL');
    kills[sender] += 1;
    for (const { lose } of held[sender].splice(0)) lose();
    await processes.start(sender);
  };
  const areAllHeld = (sender: Sender): boolean =>
    [...tracked.values()].every(({ point, killedAt }) => point?.sender !== sender || killedAt !== undefined);
  const killSoon = (sender: Sender): void => {
    const until = Date.now() + TOGETHER_MS;
    killing[sender] = killing[sender]
      .then(() =>
        vi.waitUntil(() => areAllHeld(sender) || Date.now() > until, { timeout: 2 * TOGETHER_MS, interval: 100 }),
      )
      .then(() => killNow(sender))
      .catch((error: unknown) => {
        failure ??= error;
      });
  };
  /** Resolves with false once the process is dead. */
  const hold = (subject: Tracked, { sender }: Write, side: Point['side'], { kind, nth }: Turn): Promise<boolean> => {
    const { point } = subject;
    const isThere = point?.sender === sender && point.side === side && point.kind === kind && point.nth === nth;
    if (!isThere || subject.killedAt !== undefined) return Promise.resolve(true);
    subject.killedAt = kind;
    return new Promise((resolve) => {
      held[sender].push({ lose: () => resolve(false) });
      if (held[sender].length === 1) killSoon(sender);
    });
  };
  const subjectOf = (write: Write): Tracked | undefined =>
    namesIn(write)
      .map((name) => tracked.get(name))
      .find((found) => found !== undefined);
  const turns = new WeakMap<Write, Turn>();

  return {
    kills,
    passage: {
      before(write) {
        const subject = subjectOf(write);
        if (subject === undefined) return Promise.resolve(true);
        const sent = subject.sent[write.sender];
        const kind = labelOf(write);
        sent.push(kind);
        const turn = { kind, nth: countOf(kind, sent) };
        turns.set(write, turn);
        return hold(subject, write, 'before', turn);
      },
      after(write, status) {
        const subject = subjectOf(write);
        const turn = turns.get(write);
        if (subject === undefined || turn === undefined) return Promise.resolve(true);
        subject.written.push({ ...write, status });
        return hold(subject, write, 'after', turn);
      },
    },
    begin(names, point) {
      const subject: Tracked = { point, sent: { bridge: [], workers: [] }, written: [], killedAt: undefined };
      for (const name of names) tracked.set(name, subject);
      return { sent: subject.sent, written: subject.written, killedAt: () => subject.killedAt };
    },
    async settled() {
      await Promise.all(Object.values(killing));
      if (failure !== undefined)
        throw new Error(`a process was not killed and started: ${messageOf(failure)}`, { cause: failure });
    },
  };
}
