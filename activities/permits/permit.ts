import type { Mark, MarkedRequest } from '../../domain/ironic/mark.ts';
import { markText, readMark } from '../../domain/ironic/mark.ts';
import type { WithheldReason } from '../../domain/ironic/withheld.ts';
import { isOvertaken, type Kube } from '../../kube/client.ts';
import { isForbiddenByPolicy } from '../kubernetes/refusal.ts';
import { type ClockReading, type Clocks, PROCESS_CLOCKS, passedSince, readClocks } from './clocks.ts';
import { PermitExpired, Withheld } from './withheld.ts';

/**
 * Milliseconds from the beginning of a fresh read to the request that it allows. Nothing stands between them, so more
 * time means that the process was paused, or that the read was slow: the object is read again.
 */
export const VALID_MS = 3_000;

/** Allows one request that changes something, once. Only a fresh read of the object makes one, or `exempt`. */
class Permit {
  readonly #read: ClockReading | undefined;
  readonly #clocks: Clocks;
  readonly #onTooOld: () => void;
  #isUsed = false;

  constructor(read: ClockReading | undefined, clocks: Clocks, onTooOld: () => void) {
    this.#read = read;
    this.#clocks = clocks;
    this.#onTooOld = onTooOld;
  }

  /** Uses the permit up. Called when the request goes out; throws `PermitExpired` when it may not. */
  use(): void {
    if (this.#isUsed) throw new PermitExpired('used');
    if (this.#read !== undefined && passedSince(this.#read, this.#clocks) > VALID_MS) {
      this.#onTooOld();
      throw new PermitExpired('old');
    }
    this.#isUsed = true;
  }
}

export type { Permit };

/** Requests without a BareMetalHost that could ask for them, and why they are sent all the same. */
export const EXEMPT = {
  'forget a discovered node':
    'Ironic has enrolled the node by itself, no host names it, and it has no name: the request follows a read of the node',
} as const;

export function exempt(request: keyof typeof EXEMPT): Permit {
  if (!Object.hasOwn(EXEMPT, request)) throw new Error(`${request}: an object has to ask for it`);
  return new Permit(undefined, PROCESS_CLOCKS, () => undefined);
}

/** Why the object does not ask for a request with these settings; undefined: it does. */
export type Objection = { readonly reason: WithheldReason; readonly message: string } | undefined;

/** The object of an operation, and what it has to say when a request of the operation has its turn. */
export interface AskedObject {
  readonly kube: Pick<Kube, 'find' | 'patch'>;
  readonly path: string;
  readonly uid: string;
  /** Judges the object as it was just read; undefined: it does not exist. */
  readonly objection: (object: unknown) => Objection | Promise<Objection>;
  /** The annotation with the mark. */
  readonly annotation: string;
  /** What the object has in the annotation: the mark of an earlier request, whose answer was lost. */
  readonly earlier: string | undefined;
  readonly clocks?: Clocks;
  /** Called when nothing is sent because too much time has passed since the read. */
  readonly onTooOld?: () => void;
}

/** What an operation needs to change something. */
export interface Asking {
  /** The mark of an earlier request, or of another process, whose answer is not known. */
  readonly earlier: Mark | undefined;
  /**
   * Reads the object again when its last read is too old for a permit: another process may have marked it since.
   *
   * @throws Withheld when the object does not ask for the requests of the operation.
   */
  refresh(): Promise<void>;
  /**
   * Reads the object, and allows one request. With a mark, the request stands on the object before it is sent, written
   * with the resourceVersion of the read.
   *
   * @throws Withheld when the object does not ask for the request, or may not be marked.
   * @throws PermitExpired when another process has marked the object since it was last read.
   */
  permit(mark?: Pick<Mark, 'request' | 'nodeId'>): Promise<Permit>;
  /** The mark on the object may go: what became of the request is known. */
  settle(): void;
  readonly isSettled: boolean;
  /** The text of the mark of this operation, or of the earlier one. */
  readonly text: string | undefined;
}

interface Versioned {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

export function askingFor({
  kube,
  path,
  uid,
  objection,
  annotation,
  earlier,
  clocks = PROCESS_CLOCKS,
  onTooOld = () => undefined,
}: AskedObject): Asking {
  let isSettled = false;
  let written: string | undefined;
  let other = earlier;
  let lastRead = readClocks(clocks);

  async function read(): Promise<Versioned> {
    lastRead = readClocks(clocks);
    const object = await kube.find(path);
    const problem = await objection(object);
    if (problem !== undefined) throw new Withheld(problem.reason, problem.message);
    return object as Versioned;
  }

  /** True when the object has a mark that neither this operation has written nor was known. */
  function isRemarked({ metadata }: Versioned): boolean {
    const text = metadata.annotations?.[annotation];
    if (text === written || text === other || readMark(text, uid) === undefined) return false;
    other = text;
    return true;
  }

  /** True when the mark stands on the object as it was read. */
  async function marked({ metadata }: Versioned, request: MarkedRequest, nodeId: string): Promise<boolean> {
    const text = markText({ request, nodeId, uid, at: new Date(clocks.wall()).toISOString() });
    try {
      const { resourceVersion } = metadata;
      await kube.patch(path, { metadata: { uid, resourceVersion, annotations: { [annotation]: text } } });
      written = text;
      return true;
    } catch (error) {
      if (isOvertaken(error)) return false;
      if (!isForbiddenByPolicy(error)) throw error;
      throw new Withheld('no mark', error.words);
    }
  }

  return {
    get earlier() {
      return readMark(other, uid);
    },

    async refresh() {
      if (passedSince(lastRead, clocks) > VALID_MS) isRemarked(await read());
    },

    async permit(mark) {
      for (;;) {
        const before = readClocks(clocks);
        const object = await read();
        if (isRemarked(object)) throw new PermitExpired('marked');
        if (mark === undefined) return new Permit(before, clocks, onTooOld);
        // The write succeeds only if the object is as it was read.
        const beforeWrite = readClocks(clocks);
        if (await marked(object, mark.request, mark.nodeId)) return new Permit(beforeWrite, clocks, onTooOld);
      }
    },

    settle() {
      isSettled = true;
    },

    get isSettled() {
      return isSettled;
    },

    get text() {
      return written ?? other;
    },
  };
}
