import { joined, linkTo, type Markdown, markdown } from './markdown.ts';

/** What the head of a run's details shows besides the words of its entity. */
export interface Progress {
  /** The action that is running, in words; '' while the run waits. */
  readonly doing: string;
  /** Begin of the action or of the wait; ms since the epoch. */
  readonly since?: number | undefined;
  /** End of a wait for a time; ms since the epoch. */
  readonly until?: number | undefined;
  /** What comes next, in the words of the entity; '' when it has none. */
  readonly next?: string | undefined;
  /** Runs that a reader of this one looks for. */
  readonly links: readonly DetailsLink[];
}

export interface DetailsLink {
  readonly what: string;
  readonly title: string;
  readonly path: string;
}

/** The head of a run: what its entity says, then since when, and what happens next. */
export function withProgress(head: Markdown, { doing, since, until, next = '', links }: Progress): Markdown {
  const coming = next === '' && doing === '' && since !== undefined ? nextOf(until) : next;
  const rows = [
    ...(doing === '' ? [] : [markdown`- **Now** ${doing}`]),
    ...(since === undefined ? [] : [markdown`- **Since** ${atTime(since)}`]),
    ...(coming === '' ? [] : [markdown`- **Next** ${coming}`]),
    ...links.map(({ what, title, path }) => joined([markdown`- **${what}** `, linkTo(title, path)], '')),
  ];
  return rows.length === 0 ? head : joined([head, markdown``, ...rows, markdown``]);
}

const nextOf = (until: number | undefined): string =>
  until === undefined ? 'nothing before something changes' : `it looks again at ${atTime(until)}`;

const atTime = (time: number): string => new Date(time).toISOString();

const LONGEST = 80;

/** A text for a line, the rest of which is cut off. */
export function shortened(text: string, longest = LONGEST): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).trimEnd()}…`;
}

/** The summary of an action or a timer for the Web UI, which shows one line of Markdown and cuts off what is longer. */
export function summaryLine(text: string, longest = LONGEST): Markdown {
  const line = markdown`${shortened(text, longest)}`;
  const over = line.length - LONGEST;
  // A character takes two places at most.
  return over <= 0 ? line : summaryLine(text, longest - Math.ceil(over / 2));
}
