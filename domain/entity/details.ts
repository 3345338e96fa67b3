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

/** The head of a run in Markdown: what its entity says, then since when, and what happens next. */
export function withProgress(head: string, { doing, since, until, next = '', links }: Progress): string {
  const coming = next === '' && doing === '' && since !== undefined ? nextOf(until) : next;
  const rows = [
    ...(doing === '' ? [] : [`**Now** ${doing}`]),
    ...(since === undefined ? [] : [`**Since** ${atTime(since)}`]),
    ...(coming === '' ? [] : [`**Next** ${coming}`]),
    ...links.map(({ what, title, path }) => `**${what}** [${title}](${path})`),
  ];
  return [head, ...(rows.length === 0 ? [] : [`\n${rows.map((row) => `- ${row}`).join('\n')}\n`])].join('\n');
}

const nextOf = (until: number | undefined): string =>
  until === undefined ? 'nothing before something changes' : `it looks again at ${atTime(until)}`;

const atTime = (time: number): string => new Date(time).toISOString();

const LONGEST = 80;

/** A text for a line of the Web UI, which cuts off what is longer. */
export function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1).trimEnd()}…`;
}
